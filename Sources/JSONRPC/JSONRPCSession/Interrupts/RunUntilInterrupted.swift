// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import JSONRPCCore
import Synchronization
import TaskWaits

/// Runs an operation until it ends, or until SIGINT (Ctrl-C) or SIGTERM shuts it down gracefully.
///
/// ```swift
/// let listener = try await JSONRPCListener.listen { session in
///     session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
/// }
/// print("Serving on", listener.url)
/// await runUntilInterrupted { await listener.run() }
/// ```
///
/// The first signal cancels the operation, and the function returns when the operation has ended. A listener's `run`
/// then shuts down gracefully, and a client's `run` lets calls in flight end and closes the connection. A second signal
/// ends the process at once.
///
/// The function changes how the process handles the two signals only while it runs, and restores their former handling
/// before it returns. Calls can overlap: a signal cancels all operations that run. Do not use it inside of a service of
/// a `ServiceGroup`, which handles signals itself.
///
/// - Parameter operation: The operation. It runs in a task of its own, not on the caller's actor. It is also cancelled
///   when the caller's task is cancelled.
/// - Returns: The number of the signal that cancelled the operation; `nil` if it ended without a signal. A program that
///   exits with 128 plus this number follows the convention of shells.
/// - Throws: The error of the operation. After a signal, a `CancellationError` and a `ClientError` with the code
///   `closed` are not thrown, because they only say that the operation was interrupted.
@discardableResult
public func runUntilInterrupted<Failure: Error>(
    _ operation: @escaping @Sendable () async throws(Failure) -> Void
) async throws(Failure) -> Int32? {
    // The handling begins first, so that the operation itself may cause a signal.
    let number = SignalHandling.shared.begin()
    let task = Task { await Result(of: operation) }
    SignalHandling.shared.cancels(number) { task.cancel() }
    let result = await task.joined.get()
    let signal = SignalHandling.shared.end(number)
    if case .failure(let error) = result, signal == nil || !isCancellation(error) { throw error }
    return signal
}

/// Whether an error says that an operation was cancelled, or that its client was closed.
private func isCancellation(_ error: any Error) -> Bool {
    error is CancellationError || (error as? ClientError)?.code == .closed
}

/// Handles SIGINT and SIGTERM while operations run.
///
/// It installs a handler of its own. A signal source of Dispatch would not be reliable: when other code makes a source
/// for the same signal and sets its disposition to "ignored", as swift-service-lifecycle does, no source gets the
/// signal.
private final class SignalHandling: Sendable {
    static let shared = SignalHandling()

    private struct State {
        /// The functions that cancel the operations, by the numbers of the operations.
        var operations: [UInt64: @Sendable () -> Void] = [:]
        var nextNumber: UInt64 = 0
        /// The signal that has cancelled the operations. It also cancels operations that begin before the last one
        /// ends.
        var signal: Int32?
        /// The former dispositions of the signals, while operations run.
        var former: [(number: Int32, action: sigaction)] = []
        /// The source that reads the pipe. It is made once and never cancelled, because a handler may run at any time.
        var source: (any DispatchSourceRead)?
    }

    private let state = Mutex(State())

    /// Lets signals cancel an operation until ``end(_:)``. Returns the number of the operation.
    func begin() -> UInt64 {
        state.withLock { state in
            if state.operations.isEmpty { install(&state) }
            defer { state.nextNumber += 1 }
            state.operations[state.nextNumber] = {}
            return state.nextNumber
        }
    }

    /// Sets the function that cancels an operation. It is called at once if a signal has already arrived.
    func cancels(_ number: UInt64, by cancel: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            state.operations[number] = cancel
            return state.signal != nil
        }
        if isInterrupted { cancel() }
    }

    /// Restores the former dispositions after the last operation. Returns the signal that cancelled the operation.
    func end(_ number: UInt64) -> Int32? {
        state.withLock { state in
            state.operations[number] = nil
            guard state.operations.isEmpty else { return state.signal }
            for (number, action) in state.former {
                var action = action
                sigaction(number, &action, nil)
            }
            state.former = []
            return state.signal.take()
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

    /// Cancels the operations. Later signals have no effect.
    private func interrupt(by signal: Int32) {
        let operations = state.withLock { state -> [@Sendable () -> Void] in
            // A signal that came just before the end of the last operation interrupts nothing.
            guard !state.operations.isEmpty, state.signal == nil else { return [] }
            state.signal = signal
            return Array(state.operations.values)
        }
        for cancel in operations { cancel() }
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
