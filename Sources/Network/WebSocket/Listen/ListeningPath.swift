// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The path of a listening Unix domain socket, and the file there.
///
/// A file that is already at the path is removed only if it is a socket at which no process listens. At the end, the
/// file is removed only if it is still the listener's own.
struct ListeningPath {
    let path: String
    /// The device and the inode of the file. While the socket is open, no other file has these two numbers.
    private let device: dev_t
    private let inode: ino_t

    /// Listens at a path. A socket there at which no process listens is removed.
    ///
    /// - Returns: The socket, and its path.
    /// - Throws: ``WebSocketError`` with the code `listenFailed`, also if there is another file.
    static func take(_ path: String) throws(WebSocketError) -> (descriptor: Int32, path: ListeningPath) {
        guard !path.isEmpty, let address = SocketAddress(unixSocketPath: path) else {
            throw WebSocketError(
                .listenFailed,
                "Could not listen at \"\(path)\": the path is empty, longer than 107 bytes, or contains a zero byte.")
        }
        let descriptor = socket(AF_UNIX, SocketAddress.streamType, 0)
        guard descriptor >= 0 else { throw failure(path, errno) }
        do throws(WebSocketError) {
            var code = address.bind(descriptor)
            if code == EADDRINUSE {
                try removeUnused(path, address)
                code = address.bind(descriptor)
            }
            guard code == 0 else { throw failure(path, code) }
            guard let file = ListeningPath(path) else { throw failure(path, errno) }
            guard listen(descriptor, SOMAXCONN) == 0 else {
                let code = errno
                file.remove()
                throw failure(path, code)
            }
            return (descriptor, file)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Finds the file at a path. Returns `nil` if there is none; `errno` is the reason.
    private init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file, unless another file is there now. The socket must still be open.
    func remove() {
        guard let now = ListeningPath(path), now.device == device, now.inode == inode else { return }
        unsafe unlink(path)
    }

    /// Removes a socket at which no process listens.
    private static func removeUnused(_ path: String, _ address: SocketAddress) throws(WebSocketError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            // Another process has removed it meanwhile.
            if errno == ENOENT { return }
            throw failure(path, errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw WebSocketError(
                .listenFailed,
                "Could not listen at \(path): a file that is not a socket is there. Remove it, or choose another path.",
                systemError: EADDRINUSE, isRetryable: false)
        }
        let probe = socket(AF_UNIX, SocketAddress.streamType, 0)
        guard probe >= 0 else { throw failure(path, errno) }
        defer { close(probe) }
        switch address.connect(probe) {
        case ECONNREFUSED:
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure(path, errno) }
        case ENOENT:
            return
        case 0, EAGAIN:
            throw WebSocketError(
                .listenFailed, "Could not listen at \(path): another process listens there.",
                systemError: EADDRINUSE)
        case let code:
            throw WebSocketError(
                .listenFailed,
                "Could not listen at \(path): could not find out whether the socket there is in use: "
                    + "\(errorText(code)).",
                systemError: EADDRINUSE)
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> WebSocketError {
        WebSocketError(
            .listenFailed, "Could not listen at \(path): \(errorText(code)).", systemError: code)
    }
}
