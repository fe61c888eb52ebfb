// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A listener to be made by a service thread.
struct ListenRequest: Sendable {
    var id: UInt64
    var address: WebSocketListener.Address
    var configuration: WebSocketListener.Configuration
    var tls: TLSServer?
    var accept: @Sendable (WebSocketListener.Request) -> WebSocketListener.Decision
    /// Called once, on the service thread, with the port.
    var completion: @Sendable (Result<Int, WebSocketError>) -> Void
}

/// A vhost that listens.
@safe final class LWSListener {
    private unowned let context: LWSContext
    private let request: ListenRequest
    private let memory: LWSVhostMemory
    @unsafe private(set) var vhost: OpaquePointer?
    /// Nobody is accepted any more.
    private(set) var isStopped = false
    /// The listening socket has a wsi.
    private var isListening = true
    /// The wsis of those who have connected and not been accepted.
    @unsafe private var handshaking: Set<OpaquePointer> = unsafe []
    /// The wsis of those who have been.
    @unsafe private var accepted: Set<OpaquePointer> = unsafe []
    /// The port that is listened on; 0 for a unix socket.
    let port: Int
    /// The listening socket, as long as ``isListening``. Nil when it was not found: then it stays open.
    private let descriptor: Int32?
    /// The path that is listened at, until it is given up.
    private var path: ListeningPath?

    var id: UInt64 { request.id }

    /// Who connects has so many seconds for TLS and the upgrade request.
    var handshakeSeconds: Int32 { Self.handshakeSeconds(request) }

    private static func handshakeSeconds(_ request: ListenRequest) -> Int32 {
        Int32(clamping: max(1, request.configuration.handshakeTimeout.components.seconds))
    }

    /// A connection that was accepted is not closed yet.
    var hasConnections: Bool { unsafe !accepted.isEmpty }

    /// The vhost can be destroyed. lws 4.1.6 does not destroy one that has a wsi, and never comes back to it.
    var isUnused: Bool { unsafe isStopped && !isListening && handshaking.isEmpty && accepted.isEmpty }

    /// Listens.
    init(context: LWSContext, request: ListenRequest) throws(WebSocketError) {
        self.context = context
        self.request = request
        memory = LWSVhostMemory(subprotocols: request.configuration.subprotocols)
        switch request.address {
        case .host(let host, let port):
            guard let vhost = unsafe Self.makeVhost(context: context, request: request, memory: memory) else {
                throw ListenFailure.error(host: host, port: port)
            }
            unsafe self.vhost = unsafe vhost
            self.port = unsafe Int(lws_get_vhost_listen_port(vhost))
            descriptor = ListeningSocket.descriptor(boundTo: .host(host, port: self.port))
        case .unixSocket(let path):
            let (socket, file) = try ListeningPath.take(path)
            defer { close(socket) }
            self.path = file
            self.port = 0
            do {
                let made = try unsafe Self.vhost(
                    listeningAt: socket, context: context, request: request, memory: memory)
                unsafe vhost = made.0
                descriptor = unsafe made.1
            } catch {
                file.remove()
                throw error
            }
        }
    }

    /// Makes a vhost, and gives it a socket that listens already.
    private static func vhost(
        listeningAt socket: Int32, context: LWSContext, request: ListenRequest, memory: LWSVhostMemory
    ) throws(WebSocketError) -> (OpaquePointer, Int32) {
        let name = "websocket-\(request.id)-\(UInt64.random(in: 0 ... .max))"
        guard
            let vhost = unsafe makeVhost(context: context, request: request, memory: memory, socketName: name),
            let descriptor = ListeningSocket.descriptor(boundTo: .abstract(name))
        else {
            // A vhost whose socket was not found stays until the context goes, and nobody knows its name.
            throw WebSocketError(.listenFailed, "The socket at \(request.address) cannot be used.")
        }
        try ListeningSocket.replace(descriptor, by: socket)
        return unsafe (vhost, descriptor)
    }

    /// - Parameter socketName: For a Unix domain socket, the abstract name where lws is to listen.
    private static func makeVhost(
        context: LWSContext, request: ListenRequest, memory: LWSVhostMemory, socketName: String = ""
    ) -> OpaquePointer? {
        var info = unsafe lws_context_creation_info()
        unsafe memory.keep(with: &info)
        unsafe info.protocols = UnsafePointer(memory.protocols)
        unsafe info.retry_and_idle_policy = UnsafePointer(context.noValidityChecks)
        unsafe info.options = CLWS_OPTION_FAIL_UPON_UNABLE_TO_BIND
        // Counts from when the request's first bytes have come.
        unsafe info.timeout_secs_ah_idle = UInt32(handshakeSeconds(request))
        if let tls = request.tls {
            unsafe info.options |= CLWS_OPTION_DO_SSL_GLOBAL_INIT | CLWS_OPTION_CREATE_VHOST_SSL_CTX
            // lws asks for it before it has made the vhost.
            context.serverInTheMaking = tls
        }
        defer { context.serverInTheMaking = nil }
        switch request.address {
        case .host(let host, let port):
            unsafe memory.interface = memory.string(host)
            unsafe info.port = Int32(port)
            if !host.contains(":") { unsafe info.options |= CLWS_OPTION_DISABLE_IPV6 }
        case .unixSocket:
            unsafe memory.interface = memory.string("@" + socketName)
            unsafe info.port = 0
            unsafe info.options |= CLWS_OPTION_UNIX_SOCK
        }
        if request.configuration.connection.compression { unsafe info.extensions = LWSExtensions.deflate.pointer }
        unsafe info.iface = UnsafePointer(memory.interface)
        unsafe info.vhost_name = UnsafePointer(memory.string("listener-\(request.id)"))
        unsafe info.http_proxy_address = UnsafePointer(memory.string(""))
        unsafe info.alpn = UnsafePointer(memory.string("http/1.1"))
        return unsafe lws_create_vhost(context.pointer, &info)
    }

    /// Accepts nobody any more, frees the port, and closes whoever has not been accepted. Connections that were accepted
    /// go on; the vhost goes after the last of them.
    func stop() {
        context.assertOnThread()
        guard !isStopped else { return }
        isStopped = true
        givePathUp()
        if isListening, let descriptor, ListeningSocket.replaceByDeadEnd(descriptor) {
            // A path's vhost has a name of its own, which nobody else listens at.
            if case .host = request.address { memory.forgetInterface() }
        }
        unsafe handshaking.forEach { unsafe lws_set_timeout($0, PENDING_TIMEOUT_HTTP_CONTENT, LWS_TO_KILL_ASYNC) }
    }

    /// Removes the path, while the socket is open still: only so long it can be told whether it is ours.
    private func givePathUp() {
        if isListening { path?.remove() }
        path = nil
    }

    /// The address with the port that was found.
    var boundAddress: WebSocketListener.Address {
        switch request.address {
        case .host(let host, _): .host(host, port: port)
        case .unixSocket: request.address
        }
    }

    /// Nobody can listen at `address` on this event loop as long as this is here.
    func isInTheWay(of address: WebSocketListener.Address) -> Bool {
        switch address {
        case .host(_, let port): port != 0 && port == self.port
        case .unixSocket: !isStopped && address == boundAddress
        }
    }

    /// The context is about to go, and the vhost with it.
    func leave() {
        givePathUp()
        unsafe vhost = nil
    }

    /// Only while ``isUnused``, and not while lws is calling back.
    func destroyVhost() {
        guard let vhost = unsafe vhost else { return }
        unsafe self.vhost = nil
        unsafe lws_vhost_destroy(vhost)
    }

    /// Somebody has connected.
    @unsafe func wsiMade(_ wsi: OpaquePointer) { unsafe handshaking.insert(wsi) }

    /// lws frees a wsi of the vhost.
    @unsafe func wsiDestroyed(_ wsi: OpaquePointer) {
        if unsafe handshaking.remove(wsi) == nil && accepted.remove(wsi) == nil { isListening = false }
    }

    /// Somebody asks for the upgrade. Zero lets lws go on; more means that it has been answered here.
    @unsafe func upgradeRequested(wsi: OpaquePointer) -> Int32 {
        let offered =
            unsafe LWSHeaders.value(of: WSI_TOKEN_PROTOCOL, in: wsi)?
            .split(separator: ",").map { $0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed() }
            .map { String($0) } ?? []
        let known = request.configuration.subprotocols
        let chosen = offered.first { known.contains($0) }
        if !offered.isEmpty, chosen == nil {
            // lws would close the connection without an answer.
            return unsafe refuse(wsi, status: 400)
        }
        let decision = unsafe request.accept(
            WebSocketListener.Request(
                target: requestTarget(of: wsi), subprotocols: offered,
                header: { unsafe LWSHeaders.value(named: $0, in: wsi) }))
        switch decision {
        case .refuse(let status):
            return unsafe refuse(wsi, status: status)
        case .accept(let handler):
            let connection = WebSocketConnection(
                configuration: request.configuration.connection, thread: context.thread, isClient: false)
            connection.subprotocolChosen(chosen)
            let session = unsafe LWSSession(
                context: context, accepted: wsi, connection: connection, handler: handler)
            unsafe handshaking.remove(wsi)
            unsafe accepted.insert(wsi)
            context.add(session)
            return 0
        }
    }

    /// Answers with a status. One that ends no request, or is none at all, becomes 500.
    @unsafe private func refuse(_ wsi: OpaquePointer, status: Int) -> Int32 {
        let status: UInt32 = (200...599).contains(status) ? UInt32(status) : 500
        return unsafe lws_return_http_status(wsi, status, nil) == 0 ? 1 : -1
    }

    @unsafe private func requestTarget(of wsi: OpaquePointer) -> String {
        let path = unsafe LWSHeaders.value(of: WSI_TOKEN_GET_URI, in: wsi) ?? "/"
        guard let query = unsafe LWSHeaders.value(of: WSI_TOKEN_HTTP_URI_ARGS, in: wsi) else { return path }
        return "\(path)?\(query)"
    }
}
