// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A nonblocking socket that a thread reads and writes with blocking calls, until it is told to stop.
struct BlockingStream {
    let descriptor: Int32
    let abandonment: AbandonmentSignal

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Self.send(descriptor, buffer)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else {
                try recover(from: errno, waitingFor: POLLOUT)
            }
        }
    }

    /// Waits for bytes, and reads as many from the socket as `judge` returns. The others stay there.
    ///
    /// - Returns: `false` at the end of the stream.
    func take(_ judge: (_ seen: ArraySlice<UInt8>) throws -> Int) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let seen = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK))
            if seen == 0 { return false }
            if seen < 0 {
                try recover(from: errno, waitingFor: POLLIN)
                continue
            }
            let count = try judge(buffer[..<seen])
            guard unsafe recv(descriptor, &buffer, count, 0) == count else {
                throw WebSocketError(.proxyFailed, "The proxy's answer ended unexpectedly.", isRetryable: true)
            }
            return true
        }
    }

    private static func send(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
    }

    private func recover(from code: Int32, waitingFor event: Int32) throws {
        guard code == EAGAIN || code == EINTR else {
            throw WebSocketError(
                .proxyFailed, "The connection to the proxy failed: \(errorText(code)).", systemError: code,
                isRetryable: true)
        }
        var polls = [
            pollfd(fd: descriptor, events: Int16(event), revents: 0),
            pollfd(fd: abandonment.readDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&polls, 2, -1)
        if polls[1].revents != 0 { throw CancellationError() }
    }
}
