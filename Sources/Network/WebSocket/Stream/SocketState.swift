// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The kernel's state of a connection's socket.
enum SocketState {
    /// Returns whether the peer has closed or reset the connection. Reads nothing.
    static func isPeerGone(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: CLWS_POLLRDHUP, revents: 0)
        let gone = CLWS_POLLRDHUP | Int16(POLLERR) | Int16(POLLHUP)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & gone != 0
    }

    /// Returns the number of bytes that were received and have not been read; 0 if it is unknown.
    static func byteCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Returns whether bytes were received that have not been read.
    static func hasBytes(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0
    }
}
