// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// A timer on a service thread.
@safe final class LWSTimer {
    private unowned let context: LWSContext
    private let action: () -> Void
    /// The storage, which this object owns. lws has its address only while the timer is scheduled, and the owner
    /// cancels the timer before it is freed.
    @unsafe private let storage: UnsafeMutablePointer<clws_timer>
    /// The time at which it fires, in nanoseconds of `MonotonicClock`; `nil` while it is not scheduled.
    private var due: Int64?

    init(context: LWSContext, action: @escaping () -> Void) {
        self.context = context
        self.action = action
        unsafe storage = .allocate(capacity: 1)
        unsafe storage.initialize(to: clws_timer())
        // The pointer is not retained: the timer is cancelled before it is freed, so lws never has the address of a
        // freed timer.
        unsafe storage.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        assert(due == nil, "lws keeps the address of a timer that is scheduled")
        unsafe storage.deallocate()
    }

    /// Schedules the timer to fire no later than `instant`. If it fires earlier, its owner schedules it again, so
    /// moving a deadline to a later time costs nothing.
    func schedule(noLaterThan instant: Int64) {
        context.assertOnThread()
        if let due, due <= instant { return }
        due = instant
        let microseconds = max((instant - MonotonicClock.now + 999) / 1000, 1)
        let sul = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(to: lws_sorted_usec_list_t.self)
        unsafe lws_sul_schedule(
            context.pointer, 0, sul,
            { pointer in
                guard let pointer = unsafe pointer else { return }
                let timer = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: clws_timer.self)
                guard let owner = unsafe timer.pointee.owner else { return }
                // The owner outlives its schedule, because it cancels before it is freed. It is held while its action
                // runs.
                let held = unsafe Unmanaged<LWSTimer>.fromOpaque(owner).takeUnretainedValue()
                held.due = nil
                held.action()
                // lws polls next and may wait for a long time. The wake-up makes it return, so that the work which the
                // action has left for the end of the pass is done.
                held.context.wakeUp()
            }, microseconds)
    }

    /// Cancels the timer. The owner must call it before the timer is freed.
    func cancel() {
        context.assertOnThread()
        guard due != nil else { return }
        due = nil
        let sul = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(to: lws_sorted_usec_list_t.self)
        unsafe lws_sul_cancel(sul)
    }
}
