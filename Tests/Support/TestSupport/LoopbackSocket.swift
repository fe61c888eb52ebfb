// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// A blocking stream socket on loopback, for peers of a test that run on threads of their own. It is closed with its
/// last reference.
public final class LoopbackSocket: Sendable {
    public let descriptor: Int32

    private init(descriptor: Int32) throws {
        guard descriptor >= 0 else { throw LoopbackSocket.failure("socket") }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Takes over a connected socket.
    public convenience init(taking descriptor: Int32, blocking: Bool) throws {
        try self.init(descriptor: descriptor)
        if blocking { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
    }

    /// Listens on 127.0.0.1, or on ::1, and a port that the system chooses.
    public static func listening(ipv6: Bool = false, backlog: Int32 = 64) throws -> LoopbackSocket {
        let listener = try bound(ipv6: ipv6)
        guard listen(listener.descriptor, backlog) == 0 else { throw failure("listen") }
        return listener
    }

    /// Binds a port that refuses connections.
    public static func bound(ipv6: Bool = false) throws -> LoopbackSocket {
        let bound = try LoopbackSocket(descriptor: socket(ipv6 ? AF_INET6 : AF_INET, streamType, 0))
        let code = ipv6 ? bindIPv6(bound.descriptor) : withIPv4(0) { bind(bound.descriptor, $0, $1) }
        guard code == 0 else { throw failure("bind") }
        return bound
    }

    public static func connected(to port: UInt16) throws -> LoopbackSocket {
        let connection = try LoopbackSocket(descriptor: socket(AF_INET, streamType, 0))
        guard withIPv4(port, { connect(connection.descriptor, $0, $1) }) == 0 else { throw failure("connect") }
        return connection
    }

    /// Starts a connection without waiting for it.
    public static func connecting(to port: UInt16) throws -> LoopbackSocket {
        let connection = try LoopbackSocket(descriptor: socket(AF_INET, streamType | Int32(SOCK_NONBLOCK.rawValue), 0))
        let code = withIPv4(port) { connect(connection.descriptor, $0, $1) }
        guard code == 0 || errno == EINPROGRESS else { throw failure("connect") }
        return connection
    }

    public func localPort() throws -> UInt16 {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { throw LoopbackSocket.failure("getsockname") }
        // The port is at the same position for both families.
        return UInt16(bigEndian: storage.sin6_port)
    }

    /// The next connection; `nil` when the listener is shut down.
    public func accept() -> LoopbackSocket? {
        while true {
            let accepted = Foundation.accept(descriptor, nil, nil)
            if accepted >= 0 { return try? LoopbackSocket(descriptor: accepted) }
            if errno != EINTR && errno != ECONNABORTED { return nil }
        }
    }

    /// Ends reading and writing, even in a thread that is blocked in them.
    public func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Returns some bytes; `nil` at the end of the stream.
    public func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Returns the bytes up to an empty line, included; `nil` if the stream ends before.
    public func readHead() -> String? {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1 {
            head.append(byte)
            if head.suffix(4) == [13, 10, 13, 10] { return String(decoding: head, as: UTF8.self) }
        }
        return nil
    }

    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Makes closing reset the connection.
    public func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Resets the connection now, even if other threads use it. Connecting to an address of no family disconnects a
    /// socket, which resets an open connection.
    public func reset() {
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        _ = connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    private static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    private static func withIPv4(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
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

    private static func bindIPv6(_ descriptor: Int32) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    private static func failure(_ call: String) -> any Error {
        LoopbackFailure(description: "\(call): \(String(cString: strerror(errno)))")
    }

    private struct LoopbackFailure: Error, CustomStringConvertible {
        var description: String
    }
}
