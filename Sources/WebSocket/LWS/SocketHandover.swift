// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Brings libwebsockets to use a socket that is connected already, for which it has no call: it would resolve the name
/// on the service thread, try one address after the other without a limit of ours, lose the cause of each failure, and
/// cut and misread what it says to proxies and hears from them.
///
/// So it is told to connect to a Unix domain socket of our own, which succeeds at once. It says so
/// (`LWS_CALLBACK_WSI_CREATE`) before it has sent anything, and then the connected socket takes that one's place under
/// the same descriptor. This relies on its poll loop, which knows descriptors by their number.
struct SocketHandover: ~Copyable {
    private let listener: Int32
    /// What libwebsockets is to connect to: a name that the kernel chose, outside of the file system.
    let address: String

    init() throws(WebSocketError) {
        #if os(Linux)
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let listener = socket(AF_UNIX, type, 0)
            guard listener >= 0 else { throw Self.failure(errno) }
            guard let name = Self.listen(on: listener) else {
                let code = errno
                close(listener)
                throw Self.failure(code)
            }
            self.listener = listener
            address = "+@" + name
        #else
            throw Self.failure(ENOTSUP)
        #endif
    }

    /// Nobody has to accept what came in: it ends with the listener.
    deinit { close(listener) }

    /// Binds to a free abstract name and listens. Nil when that failed; `errno` says why.
    private static func listen(on listener: Int32) -> String? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        // A family without a name asks the kernel for one (unix(7), "Autobind feature").
        let familyLength = socklen_t(MemoryLayout<sa_family_t>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, familyLength) == 0 && Glibc.listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { return nil }
        let nameLength = Int(length) - MemoryLayout<sa_family_t>.size - 1
        return unsafe withUnsafeBytes(of: address.sun_path) { path in
            // The name starts with a zero byte, for which libwebsockets writes "@".
            guard nameLength > 0, nameLength < path.count, unsafe path[0] == 0 else { return nil }
            return unsafe String(decoding: path[1...nameLength], as: UTF8.self)
        }
    }

    /// Puts the connected socket in the place of libwebsockets' own. To be called in `LWS_CALLBACK_WSI_CREATE`.
    static func replace(_ descriptor: Int32, with socket: ConnectedSocket) throws(WebSocketError) {
        let connected = socket.take()
        guard connected >= 0 else { throw failure(EBADF) }
        defer { close(connected) }
        guard CLWS_dup3(connected, descriptor, O_CLOEXEC) >= 0 else { throw failure(errno) }
    }

    private static func failure(_ code: Int32) -> WebSocketError {
        WebSocketError(
            .connectFailed, "The connected socket could not be handed over: \(errorText(code)).", systemError: code)
    }
}
