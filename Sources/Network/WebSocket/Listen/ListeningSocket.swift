// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

extension WebSocketListener.Address {
    /// Checks the form of the address.
    ///
    /// - Throws: ``WebSocketError`` with the code `listenFailed` if no machine can listen at such an address.
    func check() throws(WebSocketError) {
        guard case .host(let host, let port) = self else { return }
        guard (0...65535).contains(port) else {
            throw WebSocketError(
                .listenFailed, "Could not listen at port \(port): a port must be a number from 0 to 65535.")
        }
        guard SocketAddress(numericHost: host, port: 0) != nil else {
            throw WebSocketError(
                .listenFailed, "Could not listen at \"\(host)\": the host must be a numeric address of this machine.")
        }
    }
}

/// A listening socket, with its port or its path.
struct ListeningSocket {
    let descriptor: Int32
    /// The port; 0 for a Unix domain socket.
    let port: Int
    /// The path of a Unix domain socket, which must be removed while the socket is open.
    let path: ListeningPath?

    /// Makes a nonblocking socket that listens.
    init(at address: WebSocketListener.Address) throws(WebSocketError) {
        switch address {
        case .unixSocket(let path):
            let (descriptor, file) = try ListeningPath.take(path)
            self.descriptor = descriptor
            self.path = file
            port = 0
        case .host(let host, let port):
            guard let number = UInt16(exactly: port), let bound = SocketAddress(numericHost: host, port: number) else {
                throw Self.failure(address, EINVAL)
            }
            descriptor = try Self.listen(at: bound, address)
            path = nil
            self.port = Self.localPort(of: descriptor) ?? port
        }
    }

    private static func listen(
        at bound: SocketAddress, _ address: WebSocketListener.Address
    ) throws(WebSocketError) -> Int32 {
        let descriptor = socket(bound.family, SocketAddress.streamType, 0)
        guard descriptor >= 0 else { throw failure(address, errno) }
        // With this option, closed connections of an earlier listener that are still in the kernel do not block the
        // port.
        var one: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var code = bound.bind(descriptor)
        if code == 0, Glibc.listen(descriptor, SOMAXCONN) != 0 { code = errno }
        guard code == 0 else {
            close(descriptor)
            throw failure(address, code)
        }
        return descriptor
    }

    private static func localPort(of descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        return result == 0 ? Int(PeerAddress(storage).port) : nil
    }

    private static func failure(_ address: WebSocketListener.Address, _ code: Int32) -> WebSocketError {
        WebSocketError(
            .listenFailed, "Could not listen at \(address): \(errorText(code)).", systemError: code)
    }

    enum Accepted {
        case socket(Int32, PeerAddress)
        /// No client waits, or the waiting client has disconnected.
        case nobody
        /// There are no free descriptors, or no memory. Clients wait until there are.
        case exhausted
    }

    /// Accepts the client that has waited longest.
    static func accept(on descriptor: Int32) -> Accepted {
        while true {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let socket = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe CLWS_accept(descriptor, address, &length)
                }
            }
            if socket >= 0 {
                sendAtOnce(socket, storage)
                return .socket(socket, PeerAddress(storage))
            }
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            case EINTR, ECONNABORTED: continue
            default: return .nobody
            }
        }
    }

    /// Sets `TCP_NODELAY`. Frames are written whole, so waiting to fill a segment only delays them.
    private static func sendAtOnce(_ socket: Int32, _ peer: sockaddr_storage) {
        guard Int32(peer.ss_family) != AF_UNIX else { return }
        var one: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }
}
