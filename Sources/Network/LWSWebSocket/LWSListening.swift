// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import WebSocket

/// A vhost that listens.
@safe final class LWSListening: EngineListening {
    let listener: EngineListener
    private let loop: LWSLoop
    private(set) var port = 0
    /// The vhost, or `nil` before it is made.
    private var madeHost: LWSVirtualHost?
    /// The listening socket, or -1 if it is closed.
    private var descriptor: Int32 = -1
    /// The number of sockets of clients.
    var sockets = 0
    private(set) var isStopped = false

    /// The protocol name for clients that offer no subprotocol. It is not a token, so a client cannot offer it.
    private static let noSubprotocol = "no subprotocol"

    var host: LWSVirtualHost {
        guard let madeHost else { preconditionFailure("A listener is only used after it was made.") }
        return madeHost
    }

    var isUnused: Bool { isStopped && sockets == 0 }

    init(_ listener: EngineListener, _ loop: LWSLoop) throws(WebSocketError) {
        self.listener = listener
        self.loop = loop
        guard case .host(let host, let port) = listener.address else { throw listener.failure(EINVAL) }
        guard port == 0 || loop.free(port: port) else { throw listener.failure(EADDRINUSE) }
        if listener.usesTLS, !LWSProcess.prepareTLS() {
            throw WebSocketError(.listenFailed, "Could not listen: libwebsockets could not prepare TLS.")
        }
        errno = 0
        let names = [Self.noSubprotocol] + listener.configuration.subprotocols
        let made = unsafe LWSVirtualHost(in: loop.context, protocols: names) { info, texts in
            unsafe info.port = Int32(port)
            unsafe info.iface = texts.pointer(host)
            unsafe info.http_proxy_address = texts.pointer("")
            unsafe info.alpn = texts.pointer("http/1.1")
            // Not retained: the loop keeps the listener until it destroys the vhost.
            unsafe info.user = Unmanaged.passUnretained(self).toOpaque()
            unsafe info.options = CLWS_OPTION_MUST_BIND
            if !host.contains(":") { unsafe info.options |= CLWS_OPTION_IPV4_ONLY }
            if listener.usesTLS { unsafe info.options |= CLWS_OPTION_TLS | CLWS_OPTION_OWN_CERTIFICATES }
        }
        guard let made else { throw listener.failure(errno) }
        madeHost = made
        self.port = unsafe Int(lws_get_vhost_listen_port(made.pointer))
        descriptor = Self.listeningSocket(at: host, port: self.port)
        guard descriptor >= 0, loop.free(port: self.port) else {
            // Never released: if the socket was not found, lws calls back for the vhost until it has closed the socket.
            _ = unsafe Unmanaged.passRetained(self)
            isStopped = true
            closeSocket()
            made.destroy()
            throw listener.failure(0)
        }
        loop.add(self)
    }

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        closeSocket()
        loop.stopped(self)
    }

    /// Makes lws close the listening socket. lws does so up to 30 seconds after a vhost is destroyed, but at once for a
    /// socket that has hung up. lws 4.3 only believes it with POLLERR.
    private func closeSocket() {
        guard descriptor >= 0 else { return }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: Int16(POLLHUP | POLLERR))
        unsafe lws_service_fd(loop.context.pointer, &entry)
        descriptor = -1
    }

    /// Finds the socket of this process that listens at an address, because lws does not report it.
    private static func listeningSocket(at host: String, port: Int) -> Int32 {
        guard let port = UInt16(exactly: port), let address = SocketAddress(numericHost: host, port: port),
            let folder = unsafe opendir("/proc/self/fd")
        else { return -1 }
        defer { unsafe closedir(folder) }
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let descriptor = Int32(name) else { continue }
            if isListening(descriptor), SocketAddress(ownOf: descriptor) == address { return descriptor }
        }
        return -1
    }

    private static func isListening(_ descriptor: Int32) -> Bool {
        var accepts: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0 && accepts != 0
    }

    // MARK: Callbacks

    /// Returns the listener of a vhost, or `nil` for a vhost of clients.
    @unsafe private static func of(_ vhost: OpaquePointer?) -> LWSListening? {
        guard let vhost = unsafe vhost, let user = unsafe lws_get_vhost_user(vhost) else { return nil }
        // Set when the vhost was made. The loop keeps the listener until it destroys the vhost.
        return unsafe Unmanaged<LWSListening>.fromOpaque(user).takeUnretainedValue()
    }

    /// Accepts or rejects a client that has connected. A result other than 0 makes lws disconnect it.
    @unsafe static func filter(_ wsi: OpaquePointer?, _ user: UnsafeMutableRawPointer?) -> Int32 {
        guard let wsi = unsafe wsi, let user = unsafe user, let listening = unsafe of(lws_get_vhost(wsi)) else {
            return -1
        }
        let arguments = unsafe user.assumingMemoryBound(to: lws_filter_network_conn_args.self)
        return unsafe !listening.isStopped && listening.listener.admits(arguments.pointee.accept_fd) ? 0 : -1
    }

    @unsafe static func accepted(_ wsi: OpaquePointer?) {
        guard let wsi = unsafe wsi, let listening = unsafe of(lws_get_vhost(wsi)) else { return }
        unsafe LWSServerSocket(listening, listening.loop).begin(wsi)
    }

    /// Sets up the `SSL_CTX` of a vhost that is being made.
    @unsafe static func setUpTLS(context: UnsafeMutableRawPointer?, vhost: UnsafeMutableRawPointer?) -> Int32 {
        guard let context = unsafe context, let vhost = unsafe vhost,
            let listening = unsafe of(OpaquePointer(vhost))
        else { return 0 }
        return unsafe listening.listener.setUpTLS(OpaquePointer(context)) ? 0 : -1
    }
}
