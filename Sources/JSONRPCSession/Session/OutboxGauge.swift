// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule

/// Knows whether the transport's outbox is full, and asks it only when it may be.
struct OutboxGauge: Sendable {
    let limit: Int
    /// The outbox bytes accepted so far in the connection's life, as far as known.
    private(set) var accepted: UInt64 = 0
    /// Of these, so many have left the outbox, at the least.
    private(set) var sent: UInt64 = 0
    /// Answers to the peer's calls which may still lie in the outbox, the oldest first: where a run of them ends, and
    /// how many bytes of it are answers.
    private var answers: Deque<(end: UInt64, bytes: Int)> = []
    /// Their bytes.
    private(set) var answerBytes = 0

    /// Answers that follow one another are counted together, up to so many bytes.
    private static let runBytes = 64 << 10

    init(limit: Int) { self.limit = limit }

    /// A message of this size was accepted.
    mutating func noteAccepted(_ ticket: OutboxTicket, bytes: Int) {
        accepted = max(accepted, ticket.position &+ UInt64(clamping: bytes))
    }

    /// An answer of this size was accepted.
    mutating func noteAnswer(_ ticket: OutboxTicket, bytes: Int) {
        noteAccepted(ticket, bytes: bytes)
        answerBytes += bytes
        if let last = answers.last, last.bytes < Self.runBytes {
            answers[answers.count - 1] = (accepted, last.bytes + bytes)
        } else {
            answers.append((accepted, bytes))
        }
    }

    /// True when no more should go into the outbox.
    mutating func isFull(_ transport: any MessageTransport) -> Bool {
        if accepted &- sent < UInt64(clamping: limit) { return false }
        return look(transport) >= limit
    }

    /// True when at least so many bytes of answers lie in the outbox.
    mutating func holdsAnswers(_ limit: Int, _ transport: any MessageTransport) -> Bool {
        if answerBytes < limit { return false }
        _ = look(transport)
        return answerBytes >= limit
    }

    /// Asks the transport how many bytes lie in its outbox.
    @discardableResult
    mutating func look(_ transport: any MessageTransport) -> Int {
        let queued = transport.queuedByteCount
        sent = max(sent, accepted - min(accepted, UInt64(clamping: queued)))
        while let first = answers.first, first.end <= sent {
            answers.removeFirst()
            answerBytes -= first.bytes
        }
        return queued
    }
}
