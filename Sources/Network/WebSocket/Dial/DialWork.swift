// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// Work on a thread of its own, and a task that waits for it. The task waits until the work is done, the deadline
/// passes, or the task is cancelled. In the last two cases, a signal tells the work to stop, and its result is dropped.
final class DialWork<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, any Error>)
        /// The outcome, which arrived before the continuation.
        case settled(Result<Value, any Error>)
        case finished
    }

    private let state = Mutex(State.idle)
    /// The signal that tells the work to stop.
    let abandonment: AbandonmentSignal

    private init() throws(WebSocketError) {
        abandonment = try AbandonmentSignal()
    }

    /// Runs the work and waits for it.
    ///
    /// - Throws: The work's error, `CancellationError`, or ``WebSocketError`` with the code `connectTimeout`.
    static func run(
        until deadline: ContinuousClock.Instant?,
        work: @escaping @Sendable (AbandonmentSignal) throws -> Value
    ) async throws -> Value {
        let running = try DialWork()
        let timer = deadline.map { deadline in
            DialDeadline(deadline) {
                running.abandon(
                    WebSocketError(
                        .connectTimeout, "The server was not reached within the time for connecting.",
                        advice: "Raise connectTimeout to wait longer."))
            }
        }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard running.wait(continuation) else { return }
                do {
                    try DialThread.start {
                        running.settle(Result { try work(running.abandonment) })
                    }
                } catch {
                    running.settle(.failure(error))
                }
            }
        } onCancel: {
            running.abandon(CancellationError())
        }
    }

    /// Stores the continuation.
    ///
    /// - Returns: `false` if the outcome is known already. The continuation was resumed with it.
    private func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let outcome: Result<Value, any Error>? = state.withLock { state in
            if case .settled(let outcome) = state {
                state = .finished
                return outcome
            }
            state = .waiting(continuation)
            return nil
        }
        guard let outcome else { return true }
        continuation.resume(with: outcome)
        return false
    }

    private func abandon(_ error: any Error) {
        if settle(.failure(error)) { abandonment.raise() }
    }

    /// Resumes the waiter, exactly once.
    ///
    /// - Returns: `false` if it was resumed before. The value is dropped.
    @discardableResult
    private func settle(_ outcome: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            switch state {
            case .idle:
                state = .settled(outcome)
                return (true, nil)
            case .waiting(let continuation):
                state = .finished
                return (true, continuation)
            case .settled, .finished: return (false, nil)
            }
        }
        continuation?.resume(with: outcome)
        return isFirst
    }
}

/// A pair of sockets that tells a thread in `poll` to stop.
final class AbandonmentSignal: Sendable {
    /// The descriptor to poll for reading.
    let readDescriptor: Int32
    private let writeDescriptor: Int32

    init() throws(WebSocketError) {
        var descriptors: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, SocketAddress.streamType, 0, &descriptors) == 0 else {
            throw WebSocketError(
                .connectFailed, "Could not start connecting: \(errorText(errno)).", systemError: errno)
        }
        readDescriptor = descriptors[0]
        writeDescriptor = descriptors[1]
    }

    deinit {
        close(readDescriptor)
        close(writeDescriptor)
    }

    func raise() {
        var byte: UInt8 = 1
        // The write cannot fail: nothing was written before, and both ends live as long as this object.
        _ = unsafe write(writeDescriptor, &byte, 1)
    }
}
