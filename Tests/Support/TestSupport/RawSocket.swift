// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// A blocking stream socket of a script, which controls each byte.
///
/// It belongs to the thread that uses it. Reads fail after 30 seconds, so that no script hangs.
public final class RawSocket {
    private var descriptor: Int32
    /// The bytes that were read from the socket and not yet returned.
    private var buffer: ArraySlice<UInt8> = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var time = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close() }

    /// Connects to a port of 127.0.0.1.
    public convenience init(connectingTo port: Int) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw RawSocketError.system(errno) }
        var address = sockaddr_in.loopback(port: UInt16(port))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let error = RawSocketError.system(errno)
            Glibc.close(descriptor)
            throw error
        }
        self.init(descriptor: descriptor)
    }

    // MARK: Bytes

    /// Sends all bytes.
    public func send(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            // A signal may interrupt a thread of a test process.
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw RawSocketError.system(errno) }
            sent += count
        }
    }

    /// Sends text.
    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends bytes one at a time, each in a segment of its own.
    public func sendOneByOne(_ bytes: [UInt8]) throws {
        for byte in bytes { try send([byte]) }
    }

    /// Reads more. Returns false at the end of the stream.
    private func fill() throws -> Bool {
        let chunk = try [UInt8](unsafeUninitializedCapacity: 262_144) { bytes, filled in
            var count = recv(descriptor, bytes.baseAddress, bytes.count, 0)
            while count < 0, errno == EINTR { count = recv(descriptor, bytes.baseAddress, bytes.count, 0) }
            guard count >= 0 else { throw RawSocketError.system(errno) }
            filled = count
        }
        buffer.append(contentsOf: chunk)
        return !chunk.isEmpty
    }

    /// Reads a number of bytes; `nil` if the stream ends before.
    public func read(_ count: Int) throws -> [UInt8]? {
        while buffer.count < count {
            guard try fill() else { return nil }
        }
        defer { buffer = buffer.dropFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Reads up to the end of the stream.
    public func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return Array(buffer)
    }

    /// Reads a head up to the empty line, included.
    public func readHead() throws -> String {
        let end: [UInt8] = [13, 10, 13, 10]
        while true {
            if let index = buffer.indices.first(where: { buffer[$0...].starts(with: end) }) {
                let head = Array(buffer[..<(index + 4)])
                buffer = buffer[(index + 4)...]
                return String(decoding: head, as: UTF8.self)
            }
            guard try fill() else { throw RawSocketError.ended }
        }
    }

    // MARK: End

    /// Ends the connection with a reset (RST).
    public func reset() {
        guard descriptor >= 0 else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Ends sending; reading continues.
    public func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends the connection.
    public func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }
}

public enum RawSocketError: Error, Equatable {
    case system(Int32)
    case ended
    case unexpected(String)
}

extension sockaddr_in {
    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
