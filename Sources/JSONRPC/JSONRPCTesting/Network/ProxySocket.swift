// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// A stream socket of a proxy. Closed with its last reference.
final class ProxySocket {
    enum ReadOutcome {
        case bytes([UInt8])
        case later
        case end
        case failed
    }

    private(set) var descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close() }

    var isOpen: Bool { descriptor >= 0 }

    /// A stream that does not block and is not inherited by other programs.
    static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    static func make() throws -> Int32 {
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw TCPFaultProxyError(call: "socket", errorNumber: errno) }
        return descriptor
    }

    /// Begins to connect to a port of 127.0.0.1. Returns `nil` if that fails at once.
    static func connecting(to port: Int) -> ProxySocket? {
        guard let port = UInt16(exactly: port), let descriptor = try? make() else { return nil }
        let connection = ProxySocket(descriptor: descriptor)
        let code = withLoopback(port) { connect(descriptor, $0, $1) }
        return code == 0 || errno == EINPROGRESS ? connection : nil
    }

    /// The error of a connection that was begun; 0 if it is established.
    var connectError: Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
    }

    func read(atMost count: Int) -> ReadOutcome {
        var outcome = ReadOutcome.later
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            filled = max(0, received)
            if received == 0 { outcome = .end }
            if received < 0, errno != EAGAIN, errno != EINTR { outcome = .failed }
        }
        return bytes.isEmpty ? outcome : .bytes(bytes)
    }

    /// Writes some bytes. Returns their number, 0 if the socket takes none now, and `nil` if the connection is lost.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes the socket, with a reset if the connection is open.
    func reset() {
        guard isOpen else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard isOpen else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    static func withLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// The sockets that hold the port of a proxy. Only one thread uses them at a time.
final class ProxyDoor {
    /// The port, which stays the same.
    let port: UInt16
    /// Is bound to the port and does not listen, so that the port is kept while connections are refused.
    private var keeper: ProxySocket
    private(set) var listener: ProxySocket?

    /// Takes a port of 127.0.0.1 and listens at it.
    init() throws {
        let first = try Self.bound(to: 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(first.descriptor, $0, &length) }
        }
        guard code == 0 else { throw TCPFaultProxyError(call: "getsockname", errorNumber: errno) }
        port = UInt16(bigEndian: address.sin_port)
        keeper = try Self.bound(to: port)
        guard listen(first.descriptor, 1024) == 0 else { throw TCPFaultProxyError(call: "listen", errorNumber: errno) }
        listener = first
    }

    /// Refuses connections, or accepts them again.
    func setListening(_ isListening: Bool) {
        if !isListening, let former = listener {
            // The thread may be polling the socket, which would keep it open until then.
            shutdown(former.descriptor, Int32(SHUT_RDWR))
            former.close()
            listener = nil
        } else if isListening, listener == nil, let next = try? Self.bound(to: port),
            listen(keeper.descriptor, 1024) == 0
        {
            listener = keeper
            keeper = next
        }
    }

    /// Accepts a connection; `nil` if there is none now. `isExhausted` is set if there are no descriptors left.
    func accept(_ isExhausted: inout Bool) -> ProxySocket? {
        guard let listener else { return nil }
        let descriptor = Glibc.accept(listener.descriptor, nil, nil)
        if descriptor >= 0 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            return ProxySocket(descriptor: descriptor)
        }
        isExhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM
        return nil
    }

    func close() {
        listener?.close()
        keeper.close()
    }

    private static func bound(to port: UInt16) throws -> ProxySocket {
        let made = ProxySocket(descriptor: try ProxySocket.make())
        var one: Int32 = 1
        setsockopt(made.descriptor, SOL_SOCKET, SO_REUSEPORT, &one, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(made.descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard ProxySocket.withLoopback(port, { bind(made.descriptor, $0, $1) }) == 0 else {
            throw TCPFaultProxyError(call: "bind", errorNumber: errno)
        }
        return made
    }
}
