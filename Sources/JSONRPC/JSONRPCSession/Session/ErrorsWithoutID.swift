// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// An error from the peer that has no usable id and was not used as the answer to a call.
struct UnattributedError: Sendable {
    /// The peer's message, truncated.
    let text: String
    /// The maximum number of Unicode scalars of the peer's message. One character can have any number of them.
    private static let longestMessage = 200
    /// The end of the outbox when the error arrived. Requests after it were sent later.
    private let outboxEnd: UInt64

    init(_ outcome: ResponseReading.Outcome, outboxEnd: UInt64) {
        switch outcome {
        case .error(let error):
            let start = String(error.message.unicodeScalars.prefix(Self.longestMessage))
            let isCut = start.utf8.count < error.message.utf8.count
            text = "\(ErrorObject(code: error.code, message: start))\(isCut ? "…" : "")"
        case .violation(let irregularity): text = "\(irregularity)"
        case .result: text = "a result"
        }
        self.outboxEnd = outboxEnd
    }

    /// Returns whether the request with this ticket was sent before the error arrived.
    func mayAnswer(_ ticket: OutboxTicket) -> Bool { ticket.position < outboxEnd }
}

/// Distinguishes errors without an id that a peer sends for a liveness probe from errors that may answer a call.
///
/// A WebSocket server may pass the payload of a PING to its JSON-RPC layer, and send a PONG followed by an error with
/// the id `null`. An error that directly follows the answer to a probe is such an error. After the first of them, one
/// error is expected for each probe, at any place.
struct ProbeEchoes: Sendable {
    /// Whether no message has arrived since the latest answer.
    private var isAnswerLatest = false
    /// Whether the peer has sent an error for a probe.
    private var echoes = false
    /// The number of errors that are still expected.
    private var expected = 0

    /// Records the answer to a probe.
    mutating func answered() {
        isAnswerLatest = true
        if echoes, expected < 16 { expected += 1 }
    }

    /// Records a message that was handled.
    @inline(__always)
    mutating func messageCame() { isAnswerLatest = false }

    /// Returns whether an error without a usable id belongs to a probe.
    mutating func takeError() -> Bool {
        if isAnswerLatest {
            if expected > 0 { expected -= 1 }
            echoes = true
            return true
        }
        guard expected > 0 else { return false }
        expected -= 1
        return true
    }
}
