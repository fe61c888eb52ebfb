// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import TaskWaits

/// Work on a thread of its own, and a task that waits for it.
enum DialWork {
    /// Runs the work and waits for it, until the deadline passes or the task is cancelled. Then a signal tells the work to
    /// stop, and its result is dropped.
    ///
    /// - Throws: The work's error, `CancellationError`, or ``WebSocketError`` with the code `connectTimeout`.
    static func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant?,
        work: @escaping @Sendable (AbandonmentSignal) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let abandonment = try AbandonmentSignal()
        let wait = CancellableWait<Result<Value, any Error>>()
        let timer = deadline.map { deadline in
            DialDeadline(deadline) {
                wait.resume(
                    throwing: WebSocketError(
                        .connectTimeout, "The server was not reached within the time for connecting.",
                        advice: "Raise connectTimeout to wait longer."))
            }
        }
        defer { timer?.cancel() }
        try DialThread.start { wait.resume(returning: Result { try work(abandonment) }) }
        let outcome: Result<Value, any Error>
        do {
            outcome = try await wait.value()
        } catch {
            abandonment.raise()
            throw error
        }
        return try outcome.get()
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
