// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCCore
import WireJSON

/// The notifications that a stream holds for its consumer. Does no I/O and reads no clock.
struct NotificationBuffer: Sendable {
    /// What the consumer gets. Gaps never lie side by side.
    enum Entry: Sendable, Equatable {
        case notification(InboundNotification)
        case gap(NotificationGap)
    }

    /// Whether the buffer takes what comes.
    enum Phase: Sendable, Equatable {
        /// Can transition to: `suspended` (the buffer is full, with the policy `suspend`), `ended`.
        case flowing
        /// The connection is not read for this buffer's sake. Can transition to: `flowing` (enough was taken),
        /// `dropping` (it took too long), `ended`.
        case suspended
        /// The consumer did not catch up in time: the oldest are dropped. Can transition to: `flowing` (enough was
        /// taken), `ended`.
        case dropping
        /// Nothing more is taken in. Terminal; what is held is still given out.
        case ended
    }

    /// How many notifications beyond its capacity a suspended buffer holds. A transport stops between two reads, and
    /// one read of 64 KiB brings up to some 2000 small notifications.
    static let suspensionSlack = 4096

    /// A buffer is full, too, when the notifications in it take as many bytes.
    static let maximumBytes = 64 << 20

    let overflow: NotificationOverflow
    private(set) var phase = Phase.flowing
    /// How many suspensions there have been.
    private var suspensions: UInt64 = 0
    private var entries: Deque<Entry> = []
    /// The notifications among ``entries``; gaps do not count against the capacity.
    private(set) var count = 0
    /// The bytes of their methods, params and extra members.
    private var bytes = 0

    init(overflow: NotificationOverflow) { self.overflow = overflow }

    var isEmpty: Bool { entries.isEmpty }

    // MARK: Events

    /// A time in which the connection is not read.
    struct Suspension: Sendable, Equatable {
        /// Counts from 1, so that a late timer is not taken for that of another suspension.
        let number: UInt64
        /// How long it may take at most.
        let limit: Duration
    }

    enum ArrivalAction: Sendable, Equatable {
        case doNothing
        /// The connection is to be read no more.
        case suspend(Suspension)
        /// The stream ends with ``NotificationError/overflow(capacity:)``.
        case fail
    }

    /// A notification came.
    mutating func arrived(_ notification: InboundNotification) -> ArrivalAction {
        let capacity = overflow.capacity
        switch phase {
        case .ended: return .doNothing
        case .flowing, .suspended, .dropping: break
        }
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
        let mayHold = phase == .dropping ? capacity : capacity + Self.suspensionSlack
        while count >= mayHold || bytes >= 2 * Self.maximumBytes { dropOldest() }
        append(notification)
        guard phase == .flowing else { return .doNothing }
        phase = .suspended
        suspensions += 1
        return .suspend(Suspension(number: suspensions, limit: limit))
    }

    /// True when that is the suspension which goes on.
    func isIn(_ suspension: Suspension) -> Bool { phase == .suspended && suspensions == suspension.number }

    /// Notifications may be missing at this place, which never came as far as this.
    mutating func missed(_ gap: NotificationGap) {
        guard phase != .ended else { return }
        appendGap(gap)
    }

    /// Nothing will come any more. True when the connection was suspended for this buffer's sake.
    mutating func ended() -> Bool {
        defer { phase = .ended }
        return phase == .suspended
    }

    struct TakeAction: Sendable, Equatable {
        /// Nil when the buffer is empty.
        var entry: Entry?
        /// The connection is to be read again.
        var resumes = false
    }

    /// The consumer takes the next entry.
    mutating func taken() -> TakeAction {
        guard let entry = entries.popFirst() else { return TakeAction() }
        forget(entry)
        guard count <= overflow.capacity / 2, bytes <= Self.maximumBytes / 2 else { return TakeAction(entry: entry) }
        switch phase {
        case .flowing, .ended: return TakeAction(entry: entry)
        case .dropping:
            phase = .flowing
            return TakeAction(entry: entry)
        case .suspended:
            phase = .flowing
            return TakeAction(entry: entry, resumes: true)
        }
    }

    /// The connection has been suspended for as long as the policy allows. True when it is to be read again.
    mutating func expired(_ suspension: Suspension) -> Bool {
        guard isIn(suspension) else { return false }
        phase = .dropping
        while count > overflow.capacity || count > 1 && bytes > Self.maximumBytes { dropOldest() }
        return true
    }

    // MARK: Entries

    private mutating func append(_ notification: InboundNotification) {
        entries.append(.notification(notification))
        count += 1
        bytes += Self.size(notification)
    }

    /// Counts an entry which is in the buffer no more.
    private mutating func forget(_ entry: Entry) {
        guard case .notification(let notification) = entry else { return }
        count -= 1
        bytes -= Self.size(notification)
    }

    private func isFull(_ capacity: Int) -> Bool { count > 0 && (count >= capacity || bytes >= Self.maximumBytes) }

    private static func size(_ notification: InboundNotification) -> Int {
        notification.method.utf8.count + (notification.params?.bytes.count ?? 0)
            + notification.extraMembers.bytes.count
    }

    private mutating func appendGap(_ gap: NotificationGap) {
        if case .gap(let last)? = entries.last {
            entries[entries.count - 1] = .gap(last.joined(with: gap))
        } else {
            entries.append(.gap(gap))
        }
    }

    /// Replaces the oldest notification by a gap, which takes in the gaps on both sides.
    private mutating func dropOldest() {
        var gap = NotificationGap(reason: .overflow, count: 1)
        if case .gap(let first)? = entries.first {
            gap = first.joined(with: gap)
            entries.removeFirst()
        }
        // Gaps never lie side by side, so this is a notification.
        if let oldest = entries.popFirst() { forget(oldest) }
        if case .gap(let next)? = entries.first {
            gap = gap.joined(with: next)
            entries.removeFirst()
        }
        entries.prepend(.gap(gap))
    }
}
