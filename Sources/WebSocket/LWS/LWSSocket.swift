// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Asks the kernel about a connection's socket.
enum LWSSocket {
    /// The latest instant at which the last byte can have come, in nanoseconds of ``MonotonicClock``. For a socket that is no TCP socket: now, when
    /// there is something to read, and else the distant past.
    static func lastByteReceived(_ descriptor: Int32, now: Int64) -> Int64 {
        #if os(Linux)
            var info = tcp_info()
            var size = socklen_t(MemoryLayout<tcp_info>.size)
            if unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 {
                // The kernel counts in ticks of up to 10 ms: the latest instant that fits is told.
                return min(now, now - Int64(info.tcpi_last_data_recv) * 1_000_000 + 10_000_000)
            }
        #endif
        return isReadable(descriptor) ? now : .min / 2
    }

    /// Whether the kernel can tell when the last byte came.
    static func isTCP(_ descriptor: Int32) -> Bool {
        #if os(Linux)
            var info = tcp_info()
            var size = socklen_t(MemoryLayout<tcp_info>.size)
            return unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0
        #else
            return false
        #endif
    }

    /// Whether the peer has closed or reset the connection, told without reading.
    static func isPeerGone(_ descriptor: Int32) -> Bool {
        #if os(Linux)
            var entry = pollfd(fd: descriptor, events: CLWS_POLLRDHUP, revents: 0)
            let gone = CLWS_POLLRDHUP | Int16(POLLERR) | Int16(POLLHUP)
        #else
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let gone = Int16(POLLERR) | Int16(POLLHUP)
        #endif
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & gone != 0
    }

    /// The error that the kernel keeps for the socket, if any.
    static func pendingError(_ descriptor: Int32) -> Int32? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code != 0 else { return nil }
        return code
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }
}
