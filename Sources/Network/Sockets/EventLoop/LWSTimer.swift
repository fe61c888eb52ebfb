// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A timer on a service thread. Its owner must cancel it before the owner is freed.
package final class LWSTimer: HeapTimer {
    private unowned let context: LWSContext
    private let action: () -> Void

    package init(context: LWSContext, action: @escaping () -> Void) {
        self.context = context
        self.action = action
    }

    /// Schedules the timer to fire no later than `instant`, in nanoseconds of `MonotonicClock`. If it fires earlier,
    /// its owner reschedules it, so moving a deadline to a later time costs nothing.
    package func schedule(noLaterThan instant: Int64) {
        context.assertOnThread()
        if let due, due <= instant { return }
        context.timers.set(self, to: instant)
    }

    package func cancel() {
        context.assertOnThread()
        context.timers.remove(self)
    }

    func fire() { action() }
}

/// The time at which lws ends the wait of the current thread's context if no descriptor is ready.
@safe final class LWSAlarm {
    @unsafe private let context: OpaquePointer
    /// The entry in lws's list. lws keeps its address only while the alarm is set. The owner clears the alarm before it
    /// is freed.
    @unsafe private let entry: UnsafeMutablePointer<lws_sorted_usec_list_t>
    /// The time for which it is set, in nanoseconds of `MonotonicClock`, or `nil` if it is not set.
    private var due: Int64?

    init(_ context: OpaquePointer) {
        unsafe self.context = context
        unsafe entry = .allocate(capacity: 1)
        unsafe entry.initialize(to: lws_sorted_usec_list_t())
    }

    deinit {
        assert(due == nil, "lws keeps the address of an alarm that is set")
        unsafe entry.deallocate()
    }

    /// The time that is added to a wait. lws rounds waits down to whole milliseconds, so without it lws would return
    /// too early and wait again, several times.
    private static let tolerance: Int64 = 1_000_000

    /// Sets the alarm, or clears it with `nil`.
    func set(to instant: Int64?) {
        guard due != instant else { return }
        due = instant
        guard let instant else { return unsafe lws_sul_cancel(entry) }
        let rest = instant - MonotonicClock.now
        let microseconds = rest > 0 ? (rest + Self.tolerance + 999) / 1000 : 1
        unsafe lws_sul_schedule(context, 0, entry, { _ in LWSContext.current?.alarm.ring() }, microseconds)
    }

    private func ring() {
        due = nil
        // The alarm rang before lws began to wait. lws waits next, and the wake-up makes it return.
        unsafe lws_cancel_service(context)
    }
}

package class HeapTimer {
    /// The time at which it is due, while it is in a heap.
    fileprivate var instant: Int64 = 0
    /// Its index in the heap, or a negative number if it is in none.
    fileprivate var place = -1

    /// The time at which it is due, or `nil` while it is in no heap.
    var due: Int64? { place < 0 ? nil : instant }
}

/// Timers in a binary heap by the time at which they are due, so each change costs O(log n). lws keeps its timers in a
/// sorted list. With n connections, each PING and each accepted client would search up to n timers.
struct TimerHeap<Timer: HeapTimer> {
    private var timers: ContiguousArray<Timer> = []

    var count: Int { timers.count }

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

    /// Moves a timer to its place in the order.
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

package enum MonotonicClock {
    /// The number of nanoseconds since an instant in the past.
    package static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// The duration in nanoseconds, from zero to half of the range of `Int64`, so that it can be added to an instant.
    package var wholeNanoseconds: Int64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let limit: Int64 = 4_000_000_000
        if seconds >= limit { return limit * 1_000_000_000 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration for `poll`, rounded up, so that `poll` does not return before it. It is never negative, because
    /// `poll` would then wait without limit.
    var pollMilliseconds: Int32 { Int32(clamping: (wholeNanoseconds + 999_999) / 1_000_000) }
}
