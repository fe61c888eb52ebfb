// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// A timer on a service thread.
///
/// The owner cancels it before the owner is freed.
final class LWSTimer: HeapTimer {
    private unowned let context: LWSContext
    private let action: () -> Void

    init(context: LWSContext, action: @escaping () -> Void) {
        self.context = context
        self.action = action
    }

    /// Schedules the timer to fire no later than `instant`, in nanoseconds of `MonotonicClock`. If it fires earlier, its
    /// owner schedules it again, so moving a deadline to a later time costs nothing.
    func schedule(noLaterThan instant: Int64) {
        context.assertOnThread()
        if let due, due <= instant { return }
        context.timers.set(self, to: instant)
    }

    /// Cancels the timer.
    func cancel() {
        context.assertOnThread()
        context.timers.remove(self)
    }

    /// Runs the action of a timer that the heap has given.
    func fire() { action() }
}

/// The time at which lws ends its wait, although no descriptor is ready.
@safe final class LWSAlarm {
    @unsafe private let context: OpaquePointer
    /// The storage, which this object owns. lws has its address only while the alarm is set, and the owner clears the
    /// alarm before it is freed.
    @unsafe private let storage: UnsafeMutablePointer<clws_timer>
    /// The time for which it is set, in nanoseconds of `MonotonicClock`; `nil` if it is not set.
    private var due: Int64?

    init(_ context: OpaquePointer) {
        unsafe self.context = context
        unsafe storage = .allocate(capacity: 1)
        unsafe storage.initialize(to: clws_timer())
        // The pointer is not retained: the alarm is cleared before it is freed, so lws never has the address of a freed
        // alarm.
        unsafe storage.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        assert(due == nil, "lws keeps the address of an alarm that is set")
        unsafe storage.deallocate()
    }

    /// The time by which a wait may be longer. lws waits for whole milliseconds, rounded down: without this time, it would
    /// return too early and wait again, several times.
    private static let tolerance: Int64 = 1_000_000

    /// Sets the alarm, or clears it with `nil`. If nothing has changed, it does nothing.
    func set(to instant: Int64?) {
        guard due != instant else { return }
        due = instant
        let sul = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(to: lws_sorted_usec_list_t.self)
        guard let instant else { return unsafe lws_sul_cancel(sul) }
        let rest = instant - MonotonicClock.now
        let microseconds = rest > 0 ? (rest + Self.tolerance + 999) / 1000 : 1
        unsafe lws_sul_schedule(
            context, 0, sul,
            { pointer in
                guard let pointer = unsafe pointer else { return }
                let timer = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: clws_timer.self)
                guard let owner = unsafe timer.pointee.owner else { return }
                // The owner outlives its alarm, because it clears the alarm before it is freed.
                let alarm = unsafe Unmanaged<LWSAlarm>.fromOpaque(owner).takeUnretainedValue()
                alarm.due = nil
                // The time came before lws began to wait. lws waits next, and the wake-up makes it return.
                unsafe lws_cancel_service(alarm.context)
            }, microseconds)
    }
}
