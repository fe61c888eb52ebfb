// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The address of a socket: a server to connect to, a listener, or a client.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The bytes of a `sockaddr`.
    private let bytes: [UInt8]
    let family: Int32

    /// The type of the sockets of this module: a stream that never blocks and is closed by `exec`.
    static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    /// Copies an address that `getaddrinfo` returned.
    private init?(_ info: addrinfo) {
        guard let address = unsafe info.ai_addr, unsafe info.ai_addrlen > 0 else { return nil }
        bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
        family = unsafe info.ai_family
    }

    /// Makes the address of a Unix domain socket. Returns `nil` if the path is too long.
    package init?(unixSocketPath path: String) {
        var address = sockaddr_un()
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity, !path.utf8.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        bytes = unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
        family = AF_UNIX
    }

    /// Makes an address from a numeric host and a port. Returns `nil` if the host is not numeric.
    package init?(numericHost host: String, port: UInt16) {
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

    /// Returns the local address of a socket, or `nil` for a Unix domain socket, which may have none.
    package init?(ownOf descriptor: Int32) {
        unsafe self.init { unsafe getsockname(descriptor, $0, $1) }
    }

    /// Returns the remote address of a socket, or `nil` for a Unix domain socket, which may have none.
    package init?(peerOf descriptor: Int32) {
        unsafe self.init { unsafe getpeername(descriptor, $0, $1) }
    }

    /// Returns the address that a system function stores, or `nil` if it fails, or for a Unix domain socket.
    @unsafe init?(filling fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
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

    /// The port, or 0 for a Unix domain socket.
    var port: Int { family == AF_UNIX ? 0 : bytes.dropFirst(2).prefix(2).reduce(0) { $0 << 8 | Int($1) } }

    /// The four bytes of an IPv4 address, or the sixteen bytes of an IPv6 address. It is empty for a Unix domain
    /// socket.
    var host: [UInt8] {
        switch family {
        case AF_INET: Array(bytes.dropFirst(4).prefix(4))
        case AF_INET6: Array(bytes.dropFirst(8).prefix(16))
        default: []
        }
    }

    /// The first twelve bytes of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2).
    static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// The part of the address that identifies one client: an IPv4 address, or the first 64 bits of an IPv6 address
    /// (RFC 6177), because a client can use all addresses of its network. It is `nil` for a Unix domain socket.
    package var network: [UInt8]? {
        let host = host
        guard host.count == 16 else { return host.isEmpty ? nil : host }
        // A socket for both families reports an IPv4 client as an IPv4-mapped IPv6 address.
        return Array(host.starts(with: Self.mappedPrefix) ? host.suffix(4) : host.prefix(8))
    }

    // MARK: Sockets

    /// Makes a socket for addresses of this family. Returns the descriptor, or -1 with the reason in `errno`.
    func makeSocket() -> Int32 {
        let descriptor = socket(family, Self.streamType, 0)
        guard descriptor >= 0, family != AF_UNIX else { return descriptor }
        var enabled: Int32 = 1
        // Messages are written as a whole, so waiting to fill a segment only delays them. If this fails, they are
        // delayed. Accepted sockets inherit the option from the listening socket.
        _ = unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    /// Starts or makes a connection. Returns the `errno`, or 0.
    func connect(_ descriptor: Int32) -> Int32 {
        unsafe call { unsafe Glibc.connect(descriptor, $0, $1) }
    }

    func bind(_ descriptor: Int32) -> Int32 {
        unsafe call { unsafe Glibc.bind(descriptor, $0, $1) }
    }

    @unsafe private func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return EINVAL }
            return unsafe body(base.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count)) == 0 ? 0 : errno
        }
    }

    package var description: String {
        if family == AF_UNIX { return "the Unix domain socket" }
        guard let (host, port) = numericText else { return "an address" }
        return (family == AF_INET6 ? "[\(host)]" : host) + ":" + port
    }

    /// The numeric host and the port, or `nil` for a Unix domain socket.
    var numericText: (host: String, port: String)? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = unsafe bytes.withUnsafeBytes { buffer -> Int32 in
            guard family != AF_UNIX, let base = buffer.baseAddress else { return EAI_FAIL }
            return unsafe getnameinfo(
                base.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count), &host, socklen_t(host.count),
                &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard result == 0 else { return nil }
        return (String(zeroTerminated: host), String(zeroTerminated: port))
    }

    // MARK: Names

    /// Returns the addresses of a host, using the system's resolver. The resolver blocks, has no deadline and cannot be
    /// stopped. So it runs on its own thread, for which the dial waits until its deadline (``DialWork``).
    @Sendable package static func lookUp(_ host: URLHost, _ port: UInt16) throws(SocketError) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        switch host {
        case .name: break
        case .ipv4, .ipv6: unsafe hints.ai_flags |= AI_NUMERICHOST
        }
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host.lookUpName, String(port), &hints, &list)
        let systemError = result == EAI_SYSTEM ? errno : nil
        defer { unsafe list.map { unsafe freeaddrinfo($0) } }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let info = unsafe next {
            if let address = unsafe SocketAddress(info.pointee) { addresses.append(address) }
            unsafe next = info.pointee.ai_next
        }
        guard result == 0, !addresses.isEmpty else { throw lookUpFailure(host, result, systemError) }
        return interleaved(addresses)
    }

    /// Makes the error for a name that was not resolved. `result` is the result of `getaddrinfo`, or 0 if it found no
    /// address.
    static func lookUpFailure(_ host: URLHost, _ result: Int32, _ systemError: Int32?) -> SocketError {
        let reason = unsafe result == 0 ? "it has no address" : String(cString: gai_strerror(result))
        return SocketError(
            .nameNotResolved, "Could not resolve the name \(host.lookUpName): \(reason).", systemError: systemError,
            isRetryable: [EAI_AGAIN, EAI_MEMORY, EAI_SYSTEM].contains(result))
    }

    /// Returns the addresses in the order of RFC 8305 §4: the families alternate, and each family keeps the resolver's
    /// order.
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        var seen: Set<SocketAddress> = []
        let distinct = addresses.filter { seen.insert($0).inserted }
        let preferred = distinct.filter { $0.family == distinct.first?.family }
        let others = distinct.filter { $0.family != distinct.first?.family }
        return (0..<max(preferred.count, others.count)).flatMap { index in
            preferred.dropFirst(index).prefix(1) + others.dropFirst(index).prefix(1)
        }
    }
}
