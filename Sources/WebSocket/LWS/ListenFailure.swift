// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension WebSocketListener.Address {
    /// - Throws: When nothing can listen there, whatever the machine is like.
    func check() throws(WebSocketError) {
        guard case .host(let host, let port) = self else { return }
        guard (0...65535).contains(port) else {
            throw WebSocketError(.listenFailed, "The port to listen at is \(port), and has to be from 0 to 65535.")
        }
        guard SocketAddress(numericHost: host, port: 0) != nil else {
            throw WebSocketError(.listenFailed, "\"\(host)\" is no numeric address, which is needed to listen.")
        }
    }
}

/// Finds out why libwebsockets could not listen, of which it tells nothing.
enum ListenFailure {
    /// Does what libwebsockets did, and takes the system's answer.
    static func error(host: String, port: Int) -> WebSocketError {
        let place = WebSocketListener.Address.host(host, port: port)
        let code = systemError(host: host, port: port)
        let reason = code.map { ": " + errorText($0) } ?? ""
        return WebSocketError(.listenFailed, "Nothing can be listened to at \(place)\(reason).", systemError: code)
    }

    private static func systemError(host: String, port: Int) -> Int32? {
        guard let port = UInt16(exactly: port), let address = SocketAddress(numericHost: host, port: port) else {
            return EINVAL
        }
        let descriptor = socket(address.family, streamSocketType, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var one: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        let code = address.bind(descriptor)
        guard code == 0 else { return code }
        return listen(descriptor, 1) == 0 ? nil : errno
    }

    #if canImport(Glibc)
        private static let streamSocketType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
        private static let streamSocketType = SOCK_STREAM
    #endif
}
