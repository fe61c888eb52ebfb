// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The byte stream of a connection: a nonblocking socket, or TLS over it.
enum ByteStream {
    case plain(Int32)
    case tls(TLSStream)

    enum ReadResult {
        /// The number of bytes that were read, at least 1.
        case bytes(Int)
        case blocked
        /// The peer has ended its side.
        case ended
        case failed(Fault)
    }

    enum WriteResult {
        /// The number of bytes that were written, at least 1.
        case bytes(Int)
        case blocked
        case failed(Fault)
    }

    /// Reads the available bytes, at most as many as fit into the buffer.
    @unsafe func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        switch self {
        case .tls(let stream):
            return unsafe stream.read(into: buffer)
        case .plain(let socket):
            let count = unsafe recv(socket, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EAGAIN, EINTR: return .blocked
            case let code: return .failed(Fault(systemError: code))
            }
        }
    }

    /// Writes as many bytes as there is room for. After `.blocked`, the next write must begin with the same bytes.
    @unsafe func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        switch self {
        case .tls(let stream):
            return unsafe stream.write(bytes)
        case .plain(let socket):
            let count = unsafe send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EAGAIN, EINTR, ENOBUFS: return .blocked
            case let code: return .failed(Fault(systemError: code))
            }
        }
    }

    /// Whether TLS has buffered received bytes, which poll(2) does not report.
    var hasHiddenBytes: Bool {
        switch self {
        case .plain: false
        case .tls(let stream): stream.hasPendingBytes
        }
    }

    /// Ends this side of the stream after all written bytes.
    func endWriting() {
        switch self {
        case .plain(let socket):
            _ = shutdown(socket, Int32(SHUT_WR))
        case .tls(let stream):
            stream.notifyClose()
            _ = shutdown(stream.socket, Int32(SHUT_WR))
        }
    }

    /// The TLS stream, or `nil` without TLS.
    var tls: TLSStream? {
        if case .tls(let stream) = self { stream } else { nil }
    }
}

/// Bytes that are written before any message: the opening handshake, and control frames.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { start == bytes.count }
    var count: Int { bytes.count - start }

    mutating func append(_ more: some Sequence<UInt8>) {
        // Otherwise, the queue would grow forever if a peer never lets it become empty.
        if start > 0, start >= count {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    mutating func append(_ other: ByteQueue) { append(other.bytes[other.start...]) }

    /// Writes the queued bytes as far as the socket has room. Returns `.blocked` if bytes are left.
    mutating func write(to stream: ByteStream) -> ByteStream.WriteResult {
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

/// An owner of a descriptor that reads its stream into the buffer of its thread.
protocol StreamReader: DescriptorOwner {
    var context: LWSContext { get }
    var stream: ByteStream { get }
    /// Whether bytes from the stream are still needed.
    var wantsBytes: Bool { get }

    /// Handles bytes in the thread's buffer, which are valid only during the call.
    @unsafe func received(_ bytes: UnsafeMutableRawBufferPointer)
    /// Handles the end of the stream. `fault` is `nil` if the peer has ended its side.
    func streamEnded(_ fault: Fault?)
}

extension StreamReader {
    /// Reads as many bytes as fit into the buffer. Returns their number, which is 0 if there are none or if the stream
    /// has ended.
    @discardableResult func readOnce() -> Int {
        switch unsafe stream.read(into: context.readBuffer) {
        case .bytes(let count):
            unsafe received(UnsafeMutableRawBufferPointer(rebasing: context.readBuffer[..<count]))
            return count
        case .blocked: return 0
        case .ended: streamEnded(nil)
        case .failed(let fault): streamEnded(fault)
        }
        return 0
    }

    /// Reads until nothing is left, and then reports the end of the stream.
    func readToEnd(because fault: Fault?) {
        while wantsBytes, readOnce() > 0 {}
        if wantsBytes { streamEnded(fault) }
    }
}

/// The kernel's state of a connection's socket.
enum SocketState {
    /// Returns whether the peer has closed or reset the connection, without reading.
    static func isPeerGone(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: CLWS_POLLRDHUP, revents: 0)
        let gone = CLWS_POLLRDHUP | Int16(POLLERR) | Int16(POLLHUP)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & gone != 0
    }

    /// Returns the number of unread received bytes, or 0 if it is unknown.
    static func byteCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Returns the nanoseconds since the kernel received bytes, or `nil` if unknown, as for a Unix domain socket.
    static func timeSinceReceipt(_ descriptor: Int32) -> Int64? {
        let milliseconds = CLWS_milliseconds_since_receipt(descriptor)
        return milliseconds < 0 ? nil : milliseconds * 1_000_000
    }

    /// Returns whether there are unread received bytes.
    static func hasBytes(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0
    }
}
