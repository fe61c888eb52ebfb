// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
package import TaskWaits

/// Work on its own thread, and a task that waits for it.
enum DialWork {
    /// Runs the work and waits for it until the deadline passes or the task is cancelled. In these cases, a signal
    /// tells the work to stop, and its result is discarded. Throws the work's error, `CancellationError`, or
    /// ``SocketError`` with the code `connectTimeout`.
    static func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant?,
        work: @escaping @Sendable (AbandonmentSignal) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        guard let abandonment = AbandonmentSignal() else { throw failure(errno) }
        let wait = CancellableWait<Value>()
        let code = DetachedThread.start { wait.resume(with: Result { try work(abandonment) }) }
        guard code == 0 else { throw failure(code) }
        do {
            return try await wait.value(
                until: deadline,
                or: SocketError(
                    .connectTimeout, "The server was not reached within the time for connecting.",
                    advice: "Raise connectTimeout to wait longer."))
        } catch {
            abandonment.raise()
            throw error
        }
    }

    private static func failure(_ code: Int32) -> SocketError {
        SocketError(.connectFailed, "Could not start connecting: \(errorText(code)).", systemError: code)
    }
}

/// A pair of sockets that tells a thread in `poll` to stop.
final class AbandonmentSignal: Sendable {
    let readDescriptor: Int32
    private let writeDescriptor: Int32

    /// Makes the pair. Returns `nil` if there are no descriptors, with the reason in `errno`.
    init?() {
        var descriptors: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, SocketAddress.streamType, 0, &descriptors) == 0 else { return nil }
        readDescriptor = descriptors[0]
        writeDescriptor = descriptors[1]
    }

    deinit {
        close(readDescriptor)
        close(writeDescriptor)
    }

    func raise() {
        var byte: UInt8 = 1
        // The write cannot fail: the socket is empty, and both ends live as long as this object.
        _ = unsafe write(writeDescriptor, &byte, 1)
    }
}

extension CancellableWait {
    /// Waits for the outcome, at most until the deadline. Throws the error of the outcome, `CancellationError`, or
    /// `error` if the deadline passes first.
    package func value(until deadline: ContinuousClock.Instant?, or error: any Error) async throws -> Value {
        let timer = deadline.map { deadline in
            DispatchTimer(nanoseconds: ContinuousClock.now.duration(to: deadline).wholeNanoseconds) {
                self.resume(throwing: error)
            }
        }
        defer { timer?.cancel() }
        return try await value()
    }
}
