// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A file or pipe with certificates or a key, which is read within limits of size and time.
struct PEMFile {
    /// The maximum size of the file. The certificates of a whole system take less than 1 MiB.
    static let maximumBytes = 4 << 20

    let path: String
    /// The time limit for the writer of a pipe. Reading a regular file does not wait.
    var timeLimit = Duration.seconds(5)

    /// Reads the file. Blocks until it is read.
    ///
    /// - Throws: ``WebSocketError`` with the code `invalidConfiguration` if the path is that of a device, a directory
    ///   or a socket, or does not exist, if the file is too large, or if the pipe's writer took too long.
    func read() throws(WebSocketError) -> [UInt8] {
        // The descriptor is nonblocking, because a named pipe would otherwise not open before a process writes to it.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(errno) }
        defer { close(descriptor) }
        try checkKind(of: descriptor)
        let deadline = ContinuousClock.now + timeLimit
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            try wait(for: descriptor, until: deadline)
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                guard errno == EAGAIN || errno == EINTR else { throw unreadable(errno) }
                continue
            }
            if count == 0 { return content }
            content += buffer[..<count]
            guard content.count <= Self.maximumBytes else {
                throw unreadable("it contains more than \(Self.maximumBytes) bytes")
            }
        }
    }

    private func checkKind(of descriptor: Int32) throws(WebSocketError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFIFO: return
        case S_IFDIR: throw unreadable(EISDIR)
        default: throw unreadable("it is a device, not a file or pipe")
        }
    }

    /// Waits until reading returns bytes or the end. Before a process has opened a pipe for writing, the pipe would
    /// read as empty.
    private func wait(for descriptor: Int32, until deadline: ContinuousClock.Instant) throws(WebSocketError) {
        while true {
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            let (seconds, attoseconds) = left.components
            let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&polled, 1, milliseconds)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw unreadable(errno) }
            if count == 0, milliseconds == 0 {
                throw unreadable("its writer did not finish within \(timeLimit)")
            }
        }
    }

    private func unreadable(_ code: Int32) -> WebSocketError { unreadable(errorText(code), systemError: code) }

    private func unreadable(_ reason: String, systemError: Int32? = nil) -> WebSocketError {
        let path = String.printable(path, limit: Int(PATH_MAX))
        return WebSocketError(
            .invalidConfiguration, "Could not read the file \(path): \(reason).", systemError: systemError)
    }
}
