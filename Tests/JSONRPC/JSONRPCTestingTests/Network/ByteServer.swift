// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// Runs blocking calls on a thread of their own, because there are few threads for tasks.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// A server on loopback that gives each connection a thread.
final class ByteServer: Sendable {
    let port: Int
    private let listener: LoopbackSocket

    init(_ serve: @escaping @Sendable (LoopbackSocket) -> Void) throws {
        listener = try LoopbackSocket.listening()
        port = Int(try listener.localPort())
        Thread.detachNewThread { [listener] in
            while let connection = listener.accept() {
                Thread.detachNewThread { serve(connection) }
            }
        }
    }

    /// Echoes all bytes until the stream ends.
    static func echo() throws -> ByteServer {
        try ByteServer { connection in
            while let bytes = connection.read(), connection.write(bytes) {}
        }
    }

    deinit { listener.shutDown() }
}

extension LoopbackSocket {
    /// Connects to a proxy. Reads and writes fail after 30 seconds.
    static func patient(to port: UInt16) throws -> LoopbackSocket {
        let socket = try connected(to: port)
        socket.limitWaiting(to: 30)
        return socket
    }

    /// Makes reads and writes fail after a number of seconds.
    func limitWaiting(to seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Reads a number of bytes, or fewer if the stream ends or fails before.
    func read(upTo count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = read() { bytes += more }
        return bytes
    }

    /// Reads to the end. Also returns whether the end was a reset.
    func readToEnd() -> (bytes: [UInt8], isReset: Bool) {
        var bytes: [UInt8] = []
        while let more = read() { bytes += more }
        return (bytes, errno == ECONNRESET)
    }
}
