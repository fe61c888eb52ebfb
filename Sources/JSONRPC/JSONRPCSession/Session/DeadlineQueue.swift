// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The deadlines of calls, each stored under the call's slot.
///
/// Calls with the same timeout expire in the order in which they began, so each timeout has a lane: a list in order of
/// time, linked through the slots. Adding and removing costs O(1), and nothing of an answered call remains. Only
/// ``earliest`` and ``takeExpired(now:limit:)`` look at all lanes; they run when the timer does.
struct DeadlineQueue: Sendable {
    private struct Node: Sendable {
        var deadline = SessionTime.zero
        var previous: Int32 = -1
        var next: Int32 = -1
        /// Negative when the slot has no deadline.
        var lane: Int32 = -1
    }

    private struct Lane: Sendable {
        var timeout: Duration
        var first: Int32 = -1
        var last: Int32 = -1
    }

    /// The number of empty lanes that are kept, because programs use few timeouts, and use them again.
    private static let idleLanes = 16

    private var nodes: ContiguousArray<Node> = []
    private var lanes: ContiguousArray<Lane> = []
    private var freeLanes: ContiguousArray<Int32> = []
    private var laneOfTimeout: [Duration: Int32] = [:]
    /// The lane used last, because most calls use the timeout of the previous call.
    private var recentLane: Int32 = -1
    private(set) var count = 0

    /// Adds the deadline of a slot without one. Returns `true` if it may be the earliest deadline, because its lane was
    /// empty.
    ///
    /// A deadline before the last one of its lane is raised to it: two callers may read the clock in one order and call
    /// this function in the other.
    mutating func insert(slot: Int32, deadline: SessionTime, timeout: Duration) -> Bool {
        let index = Int(slot)
        while nodes.count <= index { nodes.append(Node()) }
        let lane = lane(for: timeout)
        let last = lanes[Int(lane)].last
        nodes[index] = Node(deadline: deadline, previous: last, next: -1, lane: lane)
        lanes[Int(lane)].last = slot
        count &+= 1
        guard last >= 0 else {
            lanes[Int(lane)].first = slot
            return true
        }
        nodes[Int(last)].next = slot
        if nodes[Int(last)].deadline > deadline { nodes[index].deadline = nodes[Int(last)].deadline }
        return false
    }

    mutating func remove(slot: Int32) {
        let index = Int(slot)
        guard index < nodes.count, nodes[index].lane >= 0 else { return }
        let node = nodes[index]
        nodes[index].lane = -1
        count &-= 1
        if node.previous >= 0 {
            nodes[Int(node.previous)].next = node.next
        } else {
            lanes[Int(node.lane)].first = node.next
        }
        if node.next >= 0 {
            nodes[Int(node.next)].previous = node.previous
        } else {
            lanes[Int(node.lane)].last = node.previous
            if node.previous < 0 { laneEmptied(node.lane) }
        }
    }

    var laneCount: Int { lanes.count }

    var earliest: SessionTime? {
        var earliest: SessionTime?
        for lane in lanes where lane.first >= 0 {
            let deadline = nodes[Int(lane.first)].deadline
            if earliest.map({ deadline < $0 }) ?? true { earliest = deadline }
        }
        return earliest
    }

    /// Removes and returns up to `limit` slots whose deadline is `now` or before: lane by lane, each lane in order of
    /// time.
    mutating func takeExpired(now: SessionTime, limit: Int) -> ContiguousArray<Int32> {
        var expired: ContiguousArray<Int32> = []
        for lane in lanes.indices {
            while expired.count < limit {
                let first = lanes[lane].first
                guard first >= 0, nodes[Int(first)].deadline <= now else { break }
                remove(slot: first)
                expired.append(first)
            }
        }
        return expired
    }

    private mutating func lane(for timeout: Duration) -> Int32 {
        if recentLane >= 0, lanes[Int(recentLane)].timeout == timeout { return recentLane }
        if let known = laneOfTimeout[timeout] {
            recentLane = known
            return known
        }
        let lane: Int32
        if let free = freeLanes.popLast() {
            lane = free
            lanes[Int(free)] = Lane(timeout: timeout)
        } else {
            lane = Int32(truncatingIfNeeded: lanes.count)
            lanes.append(Lane(timeout: timeout))
        }
        laneOfTimeout[timeout] = lane
        recentLane = lane
        return lane
    }

    /// Removes an empty lane if there are many, because timeouts may be computed and used only once.
    private mutating func laneEmptied(_ lane: Int32) {
        guard laneOfTimeout.count > Self.idleLanes else { return }
        laneOfTimeout[lanes[Int(lane)].timeout] = nil
        freeLanes.append(lane)
        if recentLane == lane { recentLane = -1 }
    }
}
