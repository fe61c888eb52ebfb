// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// Reports on standard error what a caller would not see before the timeout: messages that answer no call and are no
/// notification, and how a client loses its connection and makes another one.
///
/// The connections of a command share one object, so that each report appears once.
actor PeerReports {
    /// The largest number of different errors that are reported once a PING was sent.
    private static let maximumErrors = 16

    private let advice: String?
    private let pingInterval: Duration?
    private let say: @Sendable (String) -> Void
    private let begin = ContinuousClock.now
    /// The errors that may answer PINGs.
    private var answersToPings: Set<String> = []
    /// Whether a message that is not JSON-RPC was reported.
    private var mentionsForeign = false

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

    /// Reports events of a client until its end. `context` is the context of the failures of a client that connects
    /// again; `nil` for another client.
    nonisolated func follow(_ client: JSONRPCClient, reconnecting context: CallFailure.Context?) -> BackgroundTask {
        let events = client.events
        // Of a limited number of attempts, the lost connection may have been the last.
        let next = client.reconnect.maximumAttempts == nil ? " A new connection follows." : ""
        return Task {
            for await event in events {
                switch event {
                case .irregularMessage(let message):
                    if let error = message.error, message.requestID == nil {
                        await report(error, after: .now - begin)
                    } else if message.isForeign {
                        await mention(message)
                    }
                case .closed(let closure) where closure.initiator != .local:
                    if let context { say(Self.loss(closure, context) + next) }
                case .connectFailed(let error, let delay?):
                    guard let context else { continue }
                    say("\(CallFailure(error, context).message) The next attempt begins \(Self.text(after: delay)).")
                default: continue
                }
            }
        }
    }

    static func text(after delay: Duration) -> String {
        "after \(DecimalText.fixed((delay / .milliseconds(100)).rounded(.up) / 10, digits: 1)) s"
    }

    private static func loss(_ closure: DuplexSession.Closure, _ context: CallFailure.Context) -> String {
        closure.error.map { CallFailure.reason($0, context) }
            ?? "The connection was lost: the peer closed it with code \(closure.code)\(closure.reasonText)."
    }

    /// Reports an error that names no call. Some peers answer each PING with one, so after the first PING each error is
    /// reported once.
    func report(_ error: ErrorObject, after time: Duration) {
        let text = TerminalText.line("\(error)")
        let report = "The peer sent an error without a usable request id: \(text)"
        guard let pingInterval, time >= pingInterval else { return say(report) }
        guard answersToPings.count < Self.maximumErrors, answersToPings.insert(text).inserted else { return }
        say("\(report) It is not reported again. If the peer answers PINGs with errors, use --ping-interval none.")
    }

    private func mention(_ message: SessionEvent.IrregularMessage) {
        guard let advice, !mentionsForeign else { return }
        mentionsForeign = true
        let beginning = TerminalText.summary(message.text, maximumCharacters: 160)
        say("The peer sent a message that is not JSON-RPC. \(advice) The first: \(beginning)")
    }
}

extension DuplexSession.Closure {
    /// The reason: that of the peer as it is, one of this side without the names of the library's options.
    var shownReason: String { initiator == .remote ? reason : CallFailure.withoutOptionNames(reason) }

    /// The reason in parentheses, after a blank; an empty text without one.
    var reasonText: String { reason.isEmpty ? "" : " (\(TerminalText.line(shownReason)))" }
}

extension SessionEvent.IrregularMessage {
    var isForeign: Bool {
        let kinds: [Irregularity] = [.notAMessage, .malformedJSON, .emptyMessage, .emptyBatch]
        return kinds.contains { irregularities.contains($0) }
    }
}
