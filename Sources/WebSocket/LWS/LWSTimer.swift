// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// A timer on a service thread, which does its work in its callback.
@safe final class LWSTimer {
    private unowned let context: LWSContext
    private let action: () -> Void
    /// Owned here. lws has its address only while it is scheduled, and its owner cancels it before it goes.
    @unsafe private let storage: UnsafeMutablePointer<clws_timer>
    /// When it is due, in nanoseconds of `MonotonicClock`; `nil` while it is not scheduled.
    private var due: Int64?

    init(context: LWSContext, action: @escaping () -> Void) {
        self.context = context
        self.action = action
        unsafe storage = .allocate(capacity: 1)
        unsafe storage.initialize(to: clws_timer())
        // Not retained: the timer is cancelled before it goes, so lws never has the address of a dead one.
        unsafe storage.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        assert(due == nil, "lws keeps the address of a timer that is scheduled")
        unsafe storage.deallocate()
    }

    /// Has it fire no later than `instant`. When it fires earlier than that, its owner schedules it again: so a deadline
    /// that moves away costs nothing.
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
                // The owner outlives its schedule: it cancels before it goes. Held while its action runs.
                let held = unsafe Unmanaged<LWSTimer>.fromOpaque(owner).takeUnretainedValue()
                held.due = nil
                held.action()
                // lws polls next, and may wait for long: what the action has left for the end of the pass does not.
                held.context.wakeUp()
            }, microseconds)
    }

    /// Forgets the time. Has to be called before the timer goes.
    func cancel() {
        context.assertOnThread()
        guard due != nil else { return }
        due = nil
        let sul = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(to: lws_sorted_usec_list_t.self)
        unsafe lws_sul_cancel(sul)
    }
}
