// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

extension WebSocketListener.Address {
    /// Returns the address for `bind`. Throws ``WebSocketError`` with the code `listenFailed` if no machine can listen
    /// at such an address.
    func socketAddress() throws(WebSocketError) -> SocketAddress {
        switch self {
        case .unixSocket(let path):
            if !path.isEmpty, let address = SocketAddress(unixSocketPath: path) { return address }
            throw WebSocketError(
                .listenFailed,
                "Could not listen at \"\(path)\": the path is empty, longer than 107 bytes, or contains a zero byte.")
        case .host(let host, let port):
            guard let number = UInt16(exactly: port) else {
                throw WebSocketError(
                    .listenFailed, "Could not listen at port \(port): a port must be a number from 0 to 65535.")
            }
            if let address = SocketAddress(numericHost: host, port: number) { return address }
            throw WebSocketError(
                .listenFailed, "Could not listen at \"\(host)\": the host must be a numeric address of this machine.")
        }
    }

    func failure(_ code: Int32) -> WebSocketError { failure(errorText(code), systemError: code) }

    fileprivate func failure(_ reason: String, systemError: Int32, isRetryable: Bool? = nil) -> WebSocketError {
        WebSocketError(
            .listenFailed, "Could not listen at \(self): \(reason).", systemError: systemError, isRetryable: isRetryable
        )
    }
}

/// A listening socket, with its port or its path.
struct ListeningSocket {
    let descriptor: Int32
    /// The port, or 0 for a Unix domain socket.
    let port: Int
    /// The file of a Unix domain socket, which must be removed while the socket is open.
    let file: ListeningFile?

    /// Makes a nonblocking socket that listens. A Unix domain socket at which no process listens is replaced.
    init(at address: WebSocketListener.Address) throws(WebSocketError) {
        let bound = try address.socketAddress()
        descriptor = bound.makeSocket()
        guard descriptor >= 0 else { throw address.failure(errno) }
        do throws(WebSocketError) {
            file = try Self.listen(descriptor, bound, address)
        } catch {
            close(descriptor)
            throw error
        }
        port = SocketAddress(ownOf: descriptor)?.port ?? bound.port
    }

    private static func listen(
        _ descriptor: Int32, _ bound: SocketAddress, _ address: WebSocketListener.Address
    ) throws(WebSocketError) -> ListeningFile? {
        // With this option, the closed connections of an earlier listener do not block the port.
        var one: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var code = bound.bind(descriptor)
        var file: ListeningFile?
        if case .unixSocket(let path) = address {
            if code == EADDRINUSE {
                try ListeningFile.removeUnused(path, bound, address)
                code = bound.bind(descriptor)
            }
            guard code == 0 else { throw address.failure(code) }
            file = ListeningFile(path)
            guard file != nil else { throw address.failure(errno) }
        }
        if code == 0, Glibc.listen(descriptor, SOMAXCONN) != 0 { code = errno }
        guard code == 0 else {
            file?.remove()
            throw address.failure(code)
        }
        return file
    }

    enum Accepted {
        /// A client and its address, or `nil` for a client of a Unix domain socket.
        case socket(Int32, SocketAddress?)
        /// No client is waiting, or the waiting client has disconnected.
        case nobody
        /// There are no free descriptors, or no memory. Clients wait until there are.
        case exhausted
    }

    /// Accepts the client that has waited longest.
    static func accept(on descriptor: Int32) -> Accepted {
        while true {
            var socket: Int32 = -1
            let peer = unsafe SocketAddress { address, length in
                unsafe socket = CLWS_accept(descriptor, address, length)
                return socket < 0 ? -1 : 0
            }
            if socket >= 0 { return .socket(socket, peer) }
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            case EINTR, ECONNABORTED: continue
            default: return .nobody
            }
        }
    }
}

/// The file of a listening Unix domain socket. A file that is already at the path is only removed if it is a socket at
/// which no process listens. At the end, the file is only removed if it is still the listener's own.
struct ListeningFile {
    private let path: String
    /// The device and the inode of the file. While the socket is open, no other file has these two numbers.
    private let device: dev_t
    private let inode: ino_t

    /// Finds the file at a path. Returns `nil` if there is none, with the reason in `errno`.
    fileprivate init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file, unless another file is there now. The socket must still be open.
    func remove() {
        guard let now = ListeningFile(path), now.device == device, now.inode == inode else { return }
        unsafe unlink(path)
    }

    /// Removes a socket at which no process listens.
    fileprivate static func removeUnused(
        _ path: String, _ bound: SocketAddress, _ address: WebSocketListener.Address
    ) throws(WebSocketError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            // Another process has removed it in the meantime.
            if errno == ENOENT { return }
            throw address.failure(errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw address.failure(
                "a file that is not a socket is there. Remove it, or choose another path", systemError: EADDRINUSE,
                isRetryable: false)
        }
        let probe = bound.makeSocket()
        guard probe >= 0 else { throw address.failure(errno) }
        defer { close(probe) }
        switch bound.connect(probe) {
        case ECONNREFUSED:
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw address.failure(errno) }
        case ENOENT:
            return
        case 0, EAGAIN:
            throw address.failure("another process listens there", systemError: EADDRINUSE)
        case let code:
            throw address.failure(
                "could not find out whether the socket there is in use: \(errorText(code))", systemError: EADDRINUSE)
        }
    }
}
