// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Glibc

/// One direction of a connection of a proxy: bytes on their way from one socket to the other.
struct ProxyPipe {
    /// The number of buffered bytes at which reading stops.
    static let maximumBytes = 256 * 1024
    static let chunkBytes = 32 * 1024

    enum Progress: Equatable {
        case open
        /// All bytes and the end of the stream were passed on.
        case done
        /// A socket has failed, or the byte was reached at which the connection is cut.
        case ended(TCPFaultProxy.Ending)
    }

    private struct Chunk {
        var bytes: ArraySlice<UInt8>
        var due: ContinuousClock.Instant
    }

    private let source: ProxySocket
    private let target: ProxySocket
    private var chunks: Deque<Chunk> = []
    private var byteCount = 0
    private var passedBytes = 0
    /// The time at which the end of the stream passes on, once it was read.
    private var endIsDue: ContinuousClock.Instant?
    private var isDone = false
    /// The time from which the limit of bytes per second counts.
    private var paidUntil: ContinuousClock.Instant?
    private var hasLost = false
    /// Whether the receiver of the bytes took none at the last attempt.
    private var isBlocked = false
    private var counts = (passed: 0, discarded: 0)

    init(from source: ProxySocket, to target: ProxySocket) {
        self.source = source
        self.target = target
    }

    /// Whether bytes or an end were lost, so that no more can be forwarded.
    var isBroken: Bool { hasLost || !source.isOpen }

    /// The events for which both sockets are polled.
    func events(_ conditions: TCPFaultProxy.Conditions) -> (source: Int16, target: Int16) {
        // Bytes that the target did not take wait until it takes more.
        let writes = isBlocked && conditions.flow == .forward
        return (wantsToRead(conditions) ? Int16(POLLIN) : 0, writes ? Int16(POLLOUT) : 0)
    }

    private func wantsToRead(_ conditions: TCPFaultProxy.Conditions) -> Bool {
        switch conditions.flow {
        case .forward: endIsDue == nil && !isDone && byteCount < Self.maximumBytes
        case .discard: endIsDue == nil
        case .stall: false
        }
    }

    mutating func read(_ conditions: TCPFaultProxy.Conditions, now: ContinuousClock.Instant) -> Progress {
        guard source.isOpen, wantsToRead(conditions) else { return .open }
        switch source.read(atMost: Self.chunkBytes) {
        case .bytes(let bytes) where conditions.flow == .discard:
            hasLost = true
            counts.discarded += bytes.count
        case .bytes(let bytes):
            chunks.append(Chunk(bytes: bytes[...], due: now.advanced(by: conditions.latency)))
            byteCount += bytes.count
        case .end:
            if conditions.flow == .discard { hasLost = true }
            endIsDue = now.advanced(by: conditions.latency)
        case .later: break
        // This side is gone, and the other side must not learn it.
        case .failed where conditions.flow == .discard: source.close()
        case .failed: return .ended(.reset)
        }
        return .open
    }

    /// Writes the bytes that are due.
    mutating func write(_ conditions: TCPFaultProxy.Conditions, now: ContinuousClock.Instant) -> Progress {
        guard target.isOpen else {
            // The other direction discards, so the sender must not learn that the receiver is gone.
            loseAll()
            return .open
        }
        guard conditions.flow == .forward else { return .open }
        isBlocked = false
        while let limit = allowance(conditions, now) {
            if let cut = conditions.cutAfterBytes, passedBytes >= cut { return .ended(conditions.cutEnding) }
            guard limit > 0, let first = chunks.first, first.due <= now else { break }
            guard let count = target.write(first.bytes.prefix(limit)) else { return .ended(.reset) }
            if count == 0 {
                isBlocked = true
                break
            }
            passed(count, conditions, now)
        }
        guard !isDone, chunks.isEmpty, let endIsDue, endIsDue <= now else { return isDone ? .done : .open }
        target.finishWriting()
        isDone = true
        return .done
    }

    /// Discards all bytes, and the end of the stream if it was read, because their receiver is gone.
    private mutating func loseAll() {
        counts.discarded += byteCount
        chunks = []
        byteCount = 0
        isBlocked = false
        if endIsDue != nil { isDone = true }
    }

    private mutating func passed(
        _ count: Int, _ conditions: TCPFaultProxy.Conditions, _ now: ContinuousClock.Instant
    ) {
        chunks[0].bytes = chunks[0].bytes.dropFirst(count)
        if chunks[0].bytes.isEmpty { chunks.removeFirst() }
        byteCount -= count
        passedBytes += count
        counts.passed += count
        guard let rate = conditions.bytesPerSecond else { return paidUntil = nil }
        paidUntil = max(paidUntil ?? now, now).advanced(by: .seconds(1) * count / max(1, rate))
    }

    /// The number of bytes that may be written now.
    private func allowance(_ conditions: TCPFaultProxy.Conditions, _ now: ContinuousClock.Instant) -> Int? {
        var limit = Int.max
        if let cut = conditions.cutAfterBytes { limit = max(0, cut - passedBytes) }
        guard let rate = conditions.bytesPerSecond else { return limit }
        if let paidUntil, paidUntil > now { return passedBytes >= conditions.cutAfterBytes ?? Int.max ? 0 : nil }
        // At most the bytes of 10 ms at once.
        return min(limit, max(1, rate / 100))
    }

    /// The time at which there is something to write; `nil` if it depends on other events.
    func nextTime(_ conditions: TCPFaultProxy.Conditions) -> ContinuousClock.Instant? {
        guard conditions.flow == .forward, !isDone, !isBlocked else { return nil }
        guard let due = chunks.first?.due ?? endIsDue else { return nil }
        guard conditions.bytesPerSecond != nil, !chunks.isEmpty, let paidUntil else { return due }
        return max(due, paidUntil)
    }

    /// Returns the counts since the last call.
    mutating func takeCounts() -> (passed: Int, discarded: Int) {
        defer { counts = (0, 0) }
        return counts
    }
}
