// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An operation that a signal cancels.
final class Interruption: Sendable {
    private struct State {
        var signal: Int32?
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The signal that cancelled the operation.
    var signal: Int32? { state.withLock { $0.signal } }

    /// Sets the function that cancels the operation. It is called at once if a signal has come already.
    func cancels(by cancel: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            state.cancel = cancel
            return state.signal != nil
        }
        if isInterrupted { cancel() }
    }

    /// Cancels the operation. Later signals have no effect.
    func interrupt(by signal: Int32) {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.signal == nil else { return nil }
            state.signal = signal
            return state.cancel
        }
        cancel?()
    }
}

/// The handling of SIGINT and SIGTERM while operations run that they cancel.
///
/// A handler of its own, and not a signal source of Dispatch: a source needs a disposition that others set back to
/// "ignored" when they make a source for the same signal, as swift-service-lifecycle does. Then no source gets it.
final class SignalHandling: Sendable {
    static let shared = SignalHandling()

    private struct State {
        var operations: [Interruption] = []
        /// The signal that has cancelled the operations.
        var signal: Int32?
        /// The former dispositions of the signals, while operations run.
        var former: [(number: Int32, action: sigaction)] = []
        /// The source that reads the pipe. It is made once and never cancelled, because a handler may run at any time.
        var source: (any DispatchSourceRead)?
    }

    private let state = Mutex(State())

    /// Lets signals cancel an operation until ``end(_:)``.
    func begin(_ operation: Interruption) {
        let signal = state.withLock { state -> Int32? in
            if state.operations.isEmpty { install(&state) }
            state.operations.append(operation)
            return state.signal
        }
        // The process is about to end, so operations that begin now end, too.
        if let signal { operation.interrupt(by: signal) }
    }

    /// Restores the former dispositions after the last operation.
    func end(_ operation: Interruption) {
        state.withLock { state in
            state.operations.removeAll { $0 === operation }
            guard state.operations.isEmpty else { return }
            for (number, action) in state.former {
                var action = action
                sigaction(number, &action, nil)
            }
            state.former = []
            state.signal = nil
        }
    }

    private func install(_ state: inout State) {
        // Without descriptors for a pipe, the signals end the process at once, as they do by default.
        guard state.source != nil || openPipe(&state) else { return }
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            sigaction(number, nil, &action)
            state.former.append((number, action))
            signal(number, noteSignal)
        }
    }

    private func openPipe(_ state: inout State) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        writeEnd.store(ends[1], ordering: .releasing)
        let readEnd = ends[0]
        let source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: .global())
        source.setEventHandler { [weak self] in
            var number: UInt8 = 0
            while read(readEnd, &number, 1) == 1 { self?.interrupt(by: Int32(number)) }
        }
        source.activate()
        state.source = source
        return true
    }

    private func interrupt(by signal: Int32) {
        let operations = state.withLock { state in
            // A signal that came just before the end of the last operation interrupts nothing.
            if !state.operations.isEmpty, state.signal == nil { state.signal = signal }
            return state.operations
        }
        for operation in operations { operation.interrupt(by: signal) }
    }
}

/// The end of the pipe that ``noteSignal(_:)`` writes to.
private let writeEnd = Atomic<Int32>(-1)

/// The handler of a signal, which calls only functions that are safe in a handler (`man 7 signal-safety`).
private func noteSignal(_ number: Int32) {
    let error = errno
    // The next signal ends the process, even if no thread of it runs any more.
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
    errno = error
}
