// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule

/// An estimate of the bytes in the transport's outbox. It asks the transport only if the outbox may be full.
struct OutboxGauge: Sendable {
    let limit: Int
    /// The number of bytes that the outbox has accepted since the connection was opened, as far as known.
    private(set) var accepted: UInt64 = 0
    /// The number of these bytes that have left the outbox, at least.
    private(set) var sent: UInt64 = 0
    /// The answers to the peer's calls that may still be in the outbox, oldest first: the end of each run, and the
    /// bytes of its answers.
    private var answers: Deque<(end: UInt64, bytes: Int)> = []
    /// The bytes of these answers.
    private(set) var answerBytes = 0

    /// The maximum bytes of consecutive answers that are counted as one run.
    private static let runBytes = 64 << 10

    init(limit: Int) { self.limit = limit }

    mutating func noteAccepted(_ ticket: OutboxTicket, bytes: Int) {
        accepted = max(accepted, ticket.position &+ UInt64(clamping: bytes))
    }

    /// The number of accepted bytes from a position on, as far as known.
    func bytes(from ticket: OutboxTicket) -> Int {
        accepted > ticket.position ? Int(clamping: accepted - ticket.position) : 0
    }

    mutating func noteAnswer(_ ticket: OutboxTicket, bytes: Int) {
        noteAccepted(ticket, bytes: bytes)
        answerBytes += bytes
        if let last = answers.last, last.bytes < Self.runBytes {
            answers[answers.count - 1] = (accepted, last.bytes + bytes)
        } else {
            answers.append((accepted, bytes))
        }
    }

    mutating func isFull(_ transport: any MessageTransport) -> Bool {
        if accepted &- sent < UInt64(clamping: limit) { return false }
        return look(transport) >= limit
    }

    /// Returns whether at least this number of bytes of answers is in the outbox.
    ///
    /// A run of answers counts in full until its last byte has left, so the size of the whole outbox is compared, too.
    /// Otherwise the rest of a long answer could stop the reading while the outbox is below the transport's low-water
    /// mark. The transport only reports when the outbox falls to that mark, so the reading would not resume.
    mutating func holdsAnswers(_ limit: Int, _ transport: any MessageTransport) -> Bool {
        if answerBytes < limit { return false }
        return look(transport) >= limit && answerBytes >= limit
    }

    /// Asks the transport for the number of bytes in its outbox.
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
