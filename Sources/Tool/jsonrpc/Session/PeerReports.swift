// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization

/// Reports messages that answer no call and are no notification. Without the report, a caller would see nothing until
/// the timeout.
///
/// The connections of a command share one object, so that each report appears once.
final class PeerReports: Sendable {
    private struct State {
        /// The errors that may answer PINGs.
        var answersToPings: Set<String> = []
        /// Whether a message that is not JSON-RPC was reported.
        var mentionsForeign = false
    }

    /// The largest number of different errors that are reported once a PING was sent.
    private static let maximumErrors = 16

    private let advice: String?
    private let pingInterval: Duration?
    private let say: @Sendable (String) -> Void
    private let begin = ContinuousClock.now
    private let state = Mutex(State())

    /// - Parameters:
    ///   - advice: A sentence that names the way to see all messages that are not JSON-RPC; `nil` if the command prints
    ///     them itself.
    ///   - pingInterval: The time between two PINGs; `nil` if this side sends none.
    init(
        advice: String?, pingInterval: Duration?,
        say: @escaping @Sendable (String) -> Void = { OutputStream.diagnostics.say("jsonrpc: \($0)") }
    ) {
        self.advice = advice
        self.pingInterval = pingInterval
        self.say = say
    }

    func follow(_ client: JSONRPCClient) -> BackgroundTask {
        let events = client.events
        return Task {
            for await event in events {
                guard case .irregularMessage(let message) = event else { continue }
                if let error = message.error, message.requestID == nil {
                    report(error, after: .now - begin)
                } else if message.isForeign {
                    mention(message)
                }
            }
        }
    }

    /// Reports an error that names no call. Some peers answer each PING with one, so after the first PING each error is
    /// reported once.
    func report(_ error: ErrorObject, after time: Duration) {
        let text = TerminalText.line("\(error)")
        let report = "The peer sent an error without a usable request id: \(text)"
        guard let pingInterval, time >= pingInterval else { return say(report) }
        let isNew = state.withLock { state in
            state.answersToPings.count < Self.maximumErrors && state.answersToPings.insert(text).inserted
        }
        guard isNew else { return }
        say("\(report) It is not reported again. If the peer answers PINGs with errors, use --ping-interval none.")
    }

    private func mention(_ message: SessionEvent.IrregularMessage) {
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

extension SessionEvent.IrregularMessage {
    var isForeign: Bool {
        let kinds: [Irregularity] = [.notAMessage, .malformedJSON, .emptyMessage, .emptyBatch]
        return kinds.contains { irregularities.contains($0) }
    }
}
