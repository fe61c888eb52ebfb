// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The byte stream of a connection: a nonblocking socket, or TLS over it.
package enum ByteStream {
    case plain(Int32)
    case tls(TLSStream)

    package enum ReadResult {
        /// The number of bytes that were read, at least 1.
        case bytes(Int)
        case blocked
        /// The peer has ended its side.
        case ended
        case failed(SocketFault)
    }

    package enum WriteResult {
        /// The number of bytes that were written, at least 1.
        case bytes(Int)
        case blocked
        case failed(SocketFault)
    }

    /// Reads the available bytes, at most as many as fit into the buffer.
    @unsafe package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        switch self {
        case .tls(let stream):
            return unsafe stream.read(into: buffer)
        case .plain(let socket):
            let count = unsafe recv(socket, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EAGAIN, EINTR: return .blocked
            case let code: return .failed(SocketFault(systemError: code))
            }
        }
    }

    /// Writes as many bytes as there is room for. After `.blocked`, the next write must begin with the same bytes.
    @unsafe package func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        switch self {
        case .tls(let stream):
            return unsafe stream.write(bytes)
        case .plain(let socket):
            let count = unsafe send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EAGAIN, EINTR, ENOBUFS: return .blocked
            case let code: return .failed(SocketFault(systemError: code))
            }
        }
    }

    /// Whether TLS has buffered received bytes, which poll(2) does not report.
    package var hasHiddenBytes: Bool {
        switch self {
        case .plain: false
        case .tls(let stream): stream.hasPendingBytes
        }
    }

    /// Ends this side of the stream after all written bytes.
    package func endWriting() {
        switch self {
        case .plain(let socket):
            _ = shutdown(socket, Int32(SHUT_WR))
        case .tls(let stream):
            stream.notifyClose()
            _ = shutdown(stream.socket, Int32(SHUT_WR))
        }
    }

    /// The TLS stream, or `nil` without TLS.
    package var tls: TLSStream? {
        if case .tls(let stream) = self { stream } else { nil }
    }
}

/// Bytes that wait for room in a stream.
package struct ByteQueue {
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var start = 0

    package init() {}

    /// Inlined, because it is asked twice for each message.
    @inlinable package var isEmpty: Bool { start == bytes.count }
    package var count: Int { bytes.count - start }

    package mutating func append(_ more: some Sequence<UInt8>) {
        // Otherwise, the queue would grow forever if a peer never lets it become empty.
        if start > 0, start >= count {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    package mutating func append(_ other: ByteQueue) { append(other.bytes[other.start...]) }

    /// Writes the queued bytes as far as the socket has room. Returns `.blocked` if bytes are left.
    package mutating func write(to stream: ByteStream) -> ByteStream.WriteResult {
        var written = 0
        while start < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                unsafe stream.write(UnsafeRawBufferPointer(rebasing: buffer[start...]))
            }
            guard case .bytes(let count) = result else { return result }
            start += count
            written += count
        }
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4096)
        start = 0
        return .bytes(written)
    }
}

/// The kernel's state of a connection's socket.
package enum SocketState {
    /// Returns whether the peer has closed or reset the connection, without reading.
    package static func isPeerGone(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: CLWS_POLLRDHUP, revents: 0)
        let gone = CLWS_POLLRDHUP | Int16(POLLERR) | Int16(POLLHUP)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & gone != 0
    }

    /// Returns the number of unread received bytes, or 0 if it is unknown.
    package static func byteCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Returns the nanoseconds since the kernel received bytes, or `nil` if unknown, as for a Unix domain socket.
    package static func timeSinceReceipt(_ descriptor: Int32) -> Int64? {
        let milliseconds = CLWS_milliseconds_since_receipt(descriptor)
        return milliseconds < 0 ? nil : milliseconds * 1_000_000
    }

    /// Returns whether there are unread received bytes.
    package static func hasBytes(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0
    }
}
