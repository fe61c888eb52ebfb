// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization

/// Reports messages that answer no call and are no notification. Without the report, a caller would see nothing until
/// the timeout.
///
/// The connections of a command share one object, so that each report appears once.
final class PeerReports: Sendable {
    private struct State {
        /// The errors that came while no call was in flight.
        var unrelatedErrors: Set<String> = []
        /// Whether a message that is not JSON-RPC was reported.
        var mentionsForeign = false
    }

    /// The largest number of different errors without a call that are reported.
    private static let maximumErrors = 16

    private let advice: String?
    private let sendsPings: Bool
    private let say: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - advice: A sentence that names the way to see all messages that are not JSON-RPC; `nil` if the command prints
    ///     them itself.
    ///   - sendsPings: Whether this side sends PINGs.
    init(
        advice: String?, sendsPings: Bool,
        say: @escaping @Sendable (String) -> Void = { OutputStream.diagnostics.say("jsonrpc: \($0)") }
    ) {
        self.advice = advice
        self.sendsPings = sendsPings
        self.say = say
    }

    /// Follows a client until its end.
    func follow(_ client: JSONRPCClient) -> Attendant {
        let events = client.events
        return Task {
            for await event in events {
                guard case .irregularMessage(let message) = event else { continue }
                if let error = message.error, message.requestID == nil {
                    let counts = client.session?.callCounts
                    report(error, mayAnswerCall: counts.map { $0.issued > $0.settled } ?? false)
                } else if message.isForeign {
                    mention(message)
                }
            }
        }
    }

    /// Reports an error that names no call. An error that cannot answer a call, such as an answer to a PING, is reported
    /// once.
    func report(_ error: ErrorObject, mayAnswerCall: Bool) {
        let text = TerminalText.line("\(error)")
        let isUnknown = state.withLock { state in
            if mayAnswerCall { return !state.unrelatedErrors.contains(text) }
            return state.unrelatedErrors.count < Self.maximumErrors && state.unrelatedErrors.insert(text).inserted
        }
        guard isUnknown else { return }
        let report = "The peer sent an error without a usable request id: \(text)"
        guard !mayAnswerCall else { return say(report) }
        let hint = sendsPings ? " If it answers PINGs with errors, use --ping-interval none." : ""
        say("\(report) No call was in flight. This error is not reported again.\(hint)")
    }

    private func mention(_ message: IrregularMessage) {
        guard let advice else { return }
        let isFirst = state.withLock { state in
            defer { state.mentionsForeign = true }
            return !state.mentionsForeign
        }
        guard isFirst else { return }
        let beginning = TerminalText.summary(message.text, maximumCharacters: 160)
        say("The peer sent a message that is not JSON-RPC. \(advice) The first: \(beginning)")
    }
}

extension IrregularMessage {
    /// Whether the message is not JSON-RPC.
    var isForeign: Bool {
        let kinds: [Irregularity] = [.notAMessage, .malformedJSON, .emptyMessage, .emptyBatch]
        return kinds.contains { irregularities.contains($0) }
    }
}
