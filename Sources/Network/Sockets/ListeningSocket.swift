// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A listening socket, with its port or its path.
package struct ListeningSocket {
    package let descriptor: Int32
    /// The port, or 0 for a Unix domain socket.
    package let port: Int
    /// The file of a Unix domain socket, which must be removed while the socket is open.
    package let file: ListeningFile?

    /// Makes a nonblocking socket that listens. `path` is that of a Unix domain socket. A socket that is already there
    /// is replaced if no process listens at it.
    package init(at address: SocketAddress, path: String?) throws(SocketFault) {
        descriptor = address.makeSocket()
        guard descriptor >= 0 else { throw SocketFault(systemError: errno) }
        do throws(SocketFault) {
            file = try Self.listen(descriptor, address, path)
        } catch {
            close(descriptor)
            throw error
        }
        port = SocketAddress(ownOf: descriptor)?.port ?? address.port
    }

    private static func listen(
        _ descriptor: Int32, _ address: SocketAddress, _ path: String?
    ) throws(SocketFault) -> ListeningFile? {
        // With this option, the closed connections of an earlier listener do not block the port.
        var one: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var code = address.bind(descriptor)
        var file: ListeningFile?
        if let path {
            if code == EADDRINUSE {
                try ListeningFile.removeUnused(path, address)
                code = address.bind(descriptor)
            }
            guard code == 0 else { throw SocketFault(systemError: code) }
            file = ListeningFile(path)
            guard file != nil else { throw SocketFault(systemError: errno) }
        }
        if code == 0, Glibc.listen(descriptor, SOMAXCONN) != 0 { code = errno }
        guard code == 0 else {
            file?.remove()
            throw SocketFault(systemError: code)
        }
        return file
    }

    package enum Accepted {
        /// A client and its address, or `nil` for a client of a Unix domain socket.
        case socket(Int32, SocketAddress?)
        /// No client is waiting, or the waiting client has disconnected.
        case nobody
        /// There are no free descriptors, or no memory. Clients wait until there are.
        case exhausted
    }

    /// Accepts the client that has waited longest.
    package static func accept(on descriptor: Int32) -> Accepted {
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
package struct ListeningFile {
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
    package func remove() {
        guard let now = ListeningFile(path), now.device == device, now.inode == inode else { return }
        unsafe unlink(path)
    }

    /// Removes a socket at which no process listens.
    fileprivate static func removeUnused(_ path: String, _ address: SocketAddress) throws(SocketFault) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            // Another process has removed it in the meantime.
            if errno == ENOENT { return }
            throw SocketFault(systemError: errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SocketFault(
                "a file that is not a socket is there. Remove it, or choose another path", systemError: EADDRINUSE,
                isRetryable: false)
        }
        let probe = address.makeSocket()
        guard probe >= 0 else { throw SocketFault(systemError: errno) }
        defer { close(probe) }
        switch address.connect(probe) {
        case ECONNREFUSED:
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw SocketFault(systemError: errno) }
        case ENOENT:
            return
        case 0, EAGAIN:
            throw SocketFault("another process listens there", systemError: EADDRINUSE)
        case let code:
            throw SocketFault(
                "could not find out whether the socket there is in use: \(errorText(code))", systemError: EADDRINUSE)
        }
    }
}
