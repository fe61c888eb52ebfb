// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A timer: one task that sleeps until the earliest deadline of a session.
///
/// It is set again only for an earlier time. Deadlines that were met cost nothing, and later deadlines are found when
/// the timer fires.
package final class SessionTimer: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The time at which the task wakes up; `nil` if it does not sleep.
        var due: SessionTime?
        /// The number of the setting. A task with another number has been replaced.
        var setting: UInt64 = 0
        var isStopped = false
    }

    private let clock: any SessionClock
    private let state = Mutex(State())

    package init(clock: any SessionClock) { self.clock = clock }

    /// Calls `goOff` at `time`, unless an earlier call is already set. `goOff` returns the time of the next call.
    package func set(to time: SessionTime, _ goOff: @escaping @Sendable () -> SessionTime?) {
        guard let setting = claim(time) else { return }
        let task = Task { await self.run(setting: setting, until: time, goOff) }
        let obsolete = state.withLock { state -> Task<Void, Never>? in
            guard state.setting == setting, !state.isStopped else { return task }
            defer { state.task = task }
            return state.task
        }
        obsolete?.cancel()
    }

    /// Ends the sleep. The timer can be set again.
    package func clear() {
        let task = state.withLock { state in
            state.due = nil
            state.setting &+= 1
            return state.task.take()
        }
        task?.cancel()
    }

    package func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task.take()
        }
        task?.cancel()
    }

    private func claim(_ time: SessionTime) -> UInt64? {
        state.withLock { state in
            if let due = state.due, due <= time { return nil }
            guard !state.isStopped else { return nil }
            state.due = time
            state.setting &+= 1
            return state.setting
        }
    }

    private func run(
        setting: UInt64, until time: SessionTime, _ goOff: @escaping @Sendable () -> SessionTime?
    ) async {
        var time = time
        while true {
            guard await clock.isReached(time), change(to: nil, ifSetting: setting), let next = goOff() else { return }
            // The setting is kept, because ``set(to:_:)`` may not have stored this task yet.
            guard change(to: next, ifSetting: setting) else { return set(to: next, goOff) }
            time = next
        }
    }

    /// Stores the time at which a task wakes up. Returns `false` if the task has been replaced.
    private func change(to due: SessionTime?, ifSetting setting: UInt64) -> Bool {
        state.withLock { state in
            guard state.setting == setting, !state.isStopped else { return false }
            state.due = due
            return true
        }
    }
}
