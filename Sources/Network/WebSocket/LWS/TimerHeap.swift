// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An element of a ``TimerHeap``.
class HeapTimer {
    /// The time at which it is due, while it is in a heap.
    fileprivate var instant: Int64 = 0
    /// Its place in the heap; negative while it is in none.
    fileprivate var place = -1

    /// The time at which it is due; `nil` while it is in no heap.
    var due: Int64? { place < 0 ? nil : instant }
}

/// Timers by the time at which they are due: a binary heap, so each change costs O(log n).
///
/// lws keeps its timers in a sorted list. A listener with n connections walked over up to n timers for each PING and each
/// accepted client.
struct TimerHeap<Timer: HeapTimer> {
    private var timers: ContiguousArray<Timer> = []

    var count: Int { timers.count }

    /// The earliest time at which a timer is due.
    var earliest: Int64? { timers.first?.instant }

    /// Adds a timer, or changes its time.
    mutating func set(_ timer: Timer, to instant: Int64) {
        if timer.place < 0 {
            timer.place = timers.count
            timers.append(timer)
        }
        timer.instant = instant
        settle(timer)
    }

    /// Removes a timer, if it is in the heap.
    mutating func remove(_ timer: Timer) {
        let place = timer.place
        guard place >= 0 else { return }
        timer.place = -1
        let last = timers.removeLast()
        guard last !== timer else { return }
        put(last, at: place)
        settle(last)
    }

    /// Removes and returns the earliest timer, if it is due.
    mutating func takeDue(now: Int64) -> Timer? {
        guard let first = timers.first, first.instant <= now else { return nil }
        remove(first)
        return first
    }

    /// Moves a timer to the place of its time.
    private mutating func settle(_ timer: Timer) {
        var place = timer.place
        while place > 0, timers[(place - 1) / 2].instant > timer.instant {
            put(timers[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        while let child = earlierChild(of: place), timers[child].instant < timer.instant {
            put(timers[child], at: place)
            place = child
        }
        put(timer, at: place)
    }

    private func earlierChild(of place: Int) -> Int? {
        let (left, right) = (2 * place + 1, 2 * place + 2)
        guard left < timers.count else { return nil }
        return right < timers.count && timers[right].instant < timers[left].instant ? right : left
    }

    private mutating func put(_ timer: Timer, at place: Int) {
        timers[place] = timer
        timer.place = place
    }
}
