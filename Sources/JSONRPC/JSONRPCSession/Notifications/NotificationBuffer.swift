// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCCore
import WireJSON

/// The buffer of a stream of notifications. It does no I/O and reads no clock.
@usableFromInline
struct NotificationBuffer: Sendable {
    /// An element for the consumer. Two gaps are never adjacent.
    @usableFromInline
    enum Entry: Sendable, Equatable {
        case notification(InboundNotification)
        case gap(NotificationGap)
    }

    enum Phase: Sendable, Equatable {
        /// Can transition to: `suspended` (the buffer is full, with the policy `suspend`), `ended`.
        case flowing
        /// The connection is not read, because this buffer is full. Can transition to: `flowing` (enough was taken),
        /// `dropping` (it took too long), `ended`.
        case suspended
        /// The consumer did not catch up in time: the oldest are dropped. Can transition to: `flowing` (enough was
        /// taken), `ended`.
        case dropping
        /// The buffer accepts no notifications. Terminal; the consumer still gets the buffered elements.
        case ended
    }

    /// The number of notifications that a suspended buffer holds beyond its capacity. A transport stops between two
    /// reads, and one read of 64 KiB can contain about 2000 small notifications.
    static let suspensionSlack = 4096

    /// The limit for the bytes of the buffered notifications.
    static let maximumBytes = 64 << 20

    let overflow: NotificationOverflow
    private(set) var phase = Phase.flowing
    private var suspensions: UInt64 = 0
    /// Each entry with the bytes of its notification, so that an entry is moved out of the buffer without a copy.
    private var entries: Deque<(entry: Entry, bytes: Int?)> = []
    /// The notifications among ``entries``; gaps do not count against the capacity.
    private(set) var count = 0
    /// The bytes of their methods, params and extra members.
    private var bytes = 0
    /// The notifications that were dropped since the consumer last caught up.
    private var dropped = 0
    /// The part of ``dropped`` that ``takeDrops()`` has not returned.
    private var unreported = 0

    init(overflow: NotificationOverflow) { self.overflow = overflow }

    var isEmpty: Bool { entries.isEmpty }

    // MARK: Events

    /// A period in which the connection is not read.
    struct Suspension: Sendable, Equatable {
        /// The number of the suspension, from 1. It distinguishes late timers of earlier suspensions.
        let number: UInt64
        let limit: Duration
    }

    enum ArrivalAction: Sendable, Equatable {
        case doNothing
        /// Stops reading from the connection.
        case suspend(Suspension)
        /// The stream ends with ``NotificationError/overflow(capacity:)``.
        case fail
    }

    mutating func arrived(_ notification: InboundNotification) -> ArrivalAction {
        let capacity = overflow.capacity
        guard phase != .ended else { return .doNothing }
        guard isFull(capacity) else {
            append(notification)
            return .doNothing
        }
        switch overflow {
        case .dropOldest:
            while isFull(capacity) { dropOldest() }
            append(notification)
            return .doNothing
        case .dropNewest:
            noteDrop()
            appendGap(NotificationGap(reason: .overflow, count: 1))
            return .doNothing
        case .fail:
            phase = .ended
            return .fail
        case .suspend(_, let limit):
            return arrivedWhenSuspending(notification, capacity: capacity, limit: limit)
        }
    }

    private mutating func arrivedWhenSuspending(
        _ notification: InboundNotification, capacity: Int, limit: Duration
    ) -> ArrivalAction {
        let slack = phase == .dropping ? 0 : Self.suspensionSlack
        while count - slack >= capacity || bytes >= 2 * Self.maximumBytes { dropOldest() }
        append(notification)
        guard phase == .flowing else { return .doNothing }
        phase = .suspended
        suspensions += 1
        return .suspend(Suspension(number: suspensions, limit: limit))
    }

    func isIn(_ suspension: Suspension) -> Bool { phase == .suspended && suspensions == suspension.number }

    /// Adds a gap for notifications that did not reach this buffer.
    mutating func missed(_ gap: NotificationGap) {
        guard phase != .ended else { return }
        appendGap(gap)
    }

    /// Ends the buffer. Returns `true` if this buffer had suspended the connection.
    mutating func ended() -> Bool {
        defer { phase = .ended }
        return phase == .suspended
    }

    struct TakeAction: Sendable, Equatable {
        /// `nil` if the buffer is empty.
        var entry: Entry?
        var resumes = false
        /// The number of dropped notifications, if the consumer has caught up after drops.
        var caughtUp = 0
    }

    mutating func taken() -> TakeAction {
        var action = TakeAction()
        action.resumes = take(&action.entry)
        if dropped > 0, hasRoom {
            action.caughtUp = dropped
            dropped = 0
        }
        return action
    }

    /// Moves the next entry to the consumer. Returns whether to resume reading from the connection.
    private mutating func take(_ next: inout Entry?) -> Bool {
        guard let (entry, bytes) = entries.popFirst() else { return false }
        next = entry
        forget(bytes)
        guard hasRoom, phase != .ended else { return false }
        defer { phase = .flowing }
        return phase == .suspended
    }

    private var hasRoom: Bool { count <= overflow.capacity / 2 && bytes <= Self.maximumBytes / 2 }

    /// Notifications that were dropped because the buffer was full.
    struct Drops: Sendable, Equatable {
        var count: Int
        /// Whether they are the first since the consumer last caught up.
        var begins: Bool
    }

    /// Returns the drops since the last call; `nil` if there were none.
    mutating func takeDrops() -> Drops? {
        guard unreported > 0 else { return nil }
        defer { unreported = 0 }
        return Drops(count: unreported, begins: unreported >= dropped)
    }

    private mutating func noteDrop() {
        dropped += 1
        unreported += 1
    }

    /// Ends a suspension whose limit has expired. Returns `true` if reading is to be resumed.
    mutating func expired(_ suspension: Suspension) -> Bool {
        guard isIn(suspension) else { return false }
        phase = .dropping
        while count > overflow.capacity || count > 1 && bytes > Self.maximumBytes { dropOldest() }
        return true
    }

    // MARK: Entries

    private mutating func append(_ notification: InboundNotification) {
        let bytes = notification.heldBytes
        entries.append((.notification(notification), bytes))
        count += 1
        self.bytes += bytes
    }

    private mutating func forget(_ bytes: Int?) {
        guard let bytes else { return }
        count -= 1
        self.bytes -= bytes
    }

    private func isFull(_ capacity: Int) -> Bool { count > 0 && (count >= capacity || bytes >= Self.maximumBytes) }

    private mutating func appendGap(_ gap: NotificationGap) {
        if case .gap(let last)? = entries.last?.entry {
            entries[entries.count - 1].entry = .gap(last.joined(with: gap))
        } else {
            entries.append((.gap(gap), nil))
        }
    }

    /// Replaces the oldest notification by a gap, and joins it with the adjacent gaps.
    private mutating func dropOldest() {
        noteDrop()
        var gap = NotificationGap(reason: .overflow, count: 1)
        if case .gap(let first)? = entries.first?.entry {
            gap = first.joined(with: gap)
            entries.removeFirst()
        }
        // Two gaps are never adjacent, so this is a notification.
        if let oldest = entries.popFirst() { forget(oldest.bytes) }
        if case .gap(let next)? = entries.first?.entry {
            gap = gap.joined(with: next)
            entries.removeFirst()
        }
        entries.prepend((.gap(gap), nil))
    }
}
