// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// An address for `connect` and `bind`.
struct SocketAddress: Sendable, Hashable {
    /// The bytes of a `sockaddr`.
    private let bytes: [UInt8]
    let family: Int32

    /// The type of the sockets of this module: a stream that never blocks and is closed by `exec`.
    static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    /// Copies an address that `getaddrinfo` returned.
    init?(_ info: addrinfo) {
        guard let address = unsafe info.ai_addr, unsafe info.ai_addrlen > 0 else { return nil }
        bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
        family = unsafe info.ai_family
    }

    /// Makes the address of a Unix domain socket. Returns `nil` if the path is too long.
    init?(unixSocketPath path: String) {
        var address = sockaddr_un()
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity, !path.utf8.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        bytes = unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
        family = AF_UNIX
    }

    /// Makes an address from a numeric host and a port. Returns `nil` if the host is not numeric.
    init?(numericHost host: String, port: UInt16) {
        if host.contains(":") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            guard unsafe inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
            bytes = unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
            family = AF_INET6
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
            bytes = unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
            family = AF_INET
        }
    }

    /// Returns the address of a socket's own end; `nil` for a Unix domain socket, which may have none.
    init?(ownOf descriptor: Int32) {
        unsafe self.init { unsafe getsockname(descriptor, $0, $1) }
    }

    /// Returns the address of a connected socket's other end; `nil` for a Unix domain socket, which may have none.
    init?(peerOf descriptor: Int32) {
        unsafe self.init { unsafe getpeername(descriptor, $0, $1) }
    }

    @unsafe private init?(filling fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        var storage = sockaddr_storage()
        let capacity = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var length = capacity
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe fill($0, &length) }
        }
        family = Int32(storage.ss_family)
        guard result == 0, length <= capacity, family != AF_UNIX else { return nil }
        bytes = unsafe withUnsafeBytes(of: storage) { unsafe Array($0.prefix(Int(length))) }
    }

    /// Starts or makes a connection.
    ///
    /// - Returns: The `errno`, or 0.
    func connect(_ descriptor: Int32) -> Int32 {
        unsafe call { unsafe Glibc.connect(descriptor, $0, $1) }
    }

    /// Binds a socket to this address.
    ///
    /// - Returns: The `errno`, or 0.
    func bind(_ descriptor: Int32) -> Int32 {
        unsafe call { unsafe Glibc.bind(descriptor, $0, $1) }
    }

    @unsafe private func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return EINVAL }
            return unsafe body(base.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count)) == 0 ? 0 : errno
        }
    }

    /// Returns the addresses in the order of RFC 8305 §4: the families alternate, and each family keeps the resolver's
    /// order.
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        var seen: Set<SocketAddress> = []
        let distinct = addresses.filter { seen.insert($0).inserted }
        let preferred = distinct.filter { $0.family == first.family }
        let others = distinct.filter { $0.family != first.family }
        var order: [SocketAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { order.append(preferred[index]) }
            if index < others.count { order.append(others[index]) }
        }
        return order
    }
}

extension SocketAddress: CustomStringConvertible {
    var description: String {
        if family == AF_UNIX { return "the Unix domain socket" }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = unsafe bytes.withUnsafeBytes { buffer -> Int32 in
            guard let base = buffer.baseAddress else { return EAI_FAIL }
            return unsafe getnameinfo(
                base.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count), &host, socklen_t(host.count),
                &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard result == 0 else { return "an address" }
        let text = Self.text(host)
        return (family == AF_INET6 ? "[\(text)]" : text) + ":" + Self.text(port)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
