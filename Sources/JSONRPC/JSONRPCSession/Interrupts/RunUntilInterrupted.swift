// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TaskWaits

/// Runs an operation until it ends, or until SIGINT (Ctrl-C) or SIGTERM ends it in order.
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
    let interruption = Interruption()
    SignalHandling.shared.begin(interruption)
    let task = Task { () async -> Result<Void, Failure> in
        do throws(Failure) {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    }
    interruption.cancels { task.cancel() }
    let result = await task.joined.get()
    SignalHandling.shared.end(interruption)
    let signal = interruption.signal
    if case .failure(let error) = result, signal == nil || !isCancellation(error) { throw error }
    return signal
}

/// Whether an error says that an operation was cancelled, or that its client was closed.
private func isCancellation(_ error: any Error) -> Bool {
    error is CancellationError || (error as? ClientError)?.code == .closed
}
