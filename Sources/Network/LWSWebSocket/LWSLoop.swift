// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import WebSocket

/// The state of the engine on one service thread: its sockets and their vhosts. It is only used on that thread.
@safe final class LWSLoop: LoopAttachment {
    unowned let context: LWSContext
    /// The sockets, by the addresses that lws knows. They live until lws frees its `wsi`.
    private var sockets: [ObjectIdentifier: LWSSocket] = [:]
    /// The vhosts of clients. All connections through a proxy share one vhost.
    private var clientHosts: [LWSProxy?: LWSVirtualHost] = [:]
    private var listenings: [LWSListening] = []
    /// Whether lws handles an event, or an end, that a socket has passed to it. It calls back meanwhile.
    var isServing = false
    /// The frame to write, after room for its header.
    let frame: UnsafeMutablePointer<UInt8>
    /// Removes unused vhosts. It must not run in a callback of such a vhost.
    private var sweeper: LWSTimer?

    /// The longest payload of a frame.
    static let frameBytes = 65_536
    /// The number of clients' vhosts that are kept.
    private static let maximumClientHosts = 16

    private init(_ context: LWSContext) {
        self.context = context
        unsafe frame = .allocate(capacity: Int(CLWS_PRE) + Self.frameBytes)
        sweeper = LWSTimer(context: context) { [unowned self] in sweep() }
    }

    deinit { unsafe frame.deallocate() }

    static func of(_ context: LWSContext) -> LWSLoop {
        if let loop = context.attachment as? LWSLoop { return loop }
        let loop = LWSLoop(context)
        context.attachment = loop
        return loop
    }

    // MARK: Sockets

    func add(_ socket: LWSSocket) {
        sockets[ObjectIdentifier(socket)] = socket
        context.attachedSockets += 1
    }

    func remove(_ socket: LWSSocket) {
        guard sockets.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
        context.attachedSockets -= 1
        sweeper?.schedule(noLaterThan: MonotonicClock.now)
    }

    func loopEnded() {
        for socket in Array(sockets.values) { socket.killNow() }
        sweeper?.cancel()
        for listening in listenings { listening.stop() }
        for listening in listenings { listening.host.destroy() }
        for host in clientHosts.values { host.destroy() }
    }

    // MARK: Vhosts

    /// Returns the vhost for connections through a proxy, or for direct connections.
    func clientHost(for proxy: LWSProxy?) throws(WebSocketError) -> LWSVirtualHost {
        if let host = clientHosts[proxy] { return host }
        let host = unsafe LWSVirtualHost(in: context, protocols: [LWSVirtualHost.clientProtocol]) { info, texts in
            unsafe info.port = CONTEXT_PORT_NO_LISTEN
            // Otherwise, lws would look for a proxy in the environment.
            unsafe info.http_proxy_address = texts.pointer(proxy?.text ?? "")
            guard LWSProcess.prepareTLS(), let tls = unsafe TLSClient.context else { return }
            unsafe info.options = CLWS_OPTION_TLS
            unsafe info.provided_client_ssl_ctx = tls
        }
        guard let host else {
            throw WebSocketError(.connectFailed, "Could not connect: libwebsockets could not make a vhost.")
        }
        clientHosts[proxy] = host
        return host
    }

    func add(_ listening: LWSListening) {
        listenings.append(listening)
        context.attachedSockets += 1
    }

    func stopped(_ listening: LWSListening) {
        context.attachedSockets -= 1
        sweeper?.schedule(noLaterThan: MonotonicClock.now)
    }

    /// Releases a port from stopped listeners whose connections have ended. Returns `false` if another listener, or an
    /// open connection of a stopped one, remains: lws would confuse their connections with those of a new listener.
    func free(port: Int) -> Bool {
        for listening in listenings where listening.port == port && listening.isStopped {
            for socket in Array(sockets.values) where socket.host === listening.host && socket.isOver {
                socket.killNow()
            }
        }
        sweep()
        return !listenings.contains { $0.port == port }
    }

    private func sweep() {
        for listening in listenings where listening.isUnused { listening.host.destroy() }
        listenings.removeAll { $0.isUnused }
        guard clientHosts.count > Self.maximumClientHosts else { return }
        for (proxy, host) in clientHosts where !sockets.values.contains(where: { $0.host === host }) {
            host.destroy()
            clientHosts[proxy] = nil
        }
    }
}

/// A proxy at a numeric address.
struct LWSProxy: Hashable {
    var address: String
    var port: UInt16
    var user: BasicCredentials?

    /// The proxy in the format that lws parses.
    var text: String {
        let credentials = user.map { "\($0.user):\($0.password)@" } ?? ""
        return credentials + (address.contains(":") ? "[\(address)]" : address) + ":\(port)"
    }
}

/// A vhost of lws, with the memory that lws points to until it reports that the vhost is freed.
@safe final class LWSVirtualHost {
    let pointer: OpaquePointer

    /// The name of the only protocol of a client's vhost.
    static let clientProtocol = "swift-jsonrpc-client"
    /// The size of lws's buffer for each connection, in which it assembles frames.
    private static let receiveBufferBytes = 16_384

    /// Zero-terminated texts for lws, and tables of pointers to them.
    @safe final class Texts {
        private var texts: [UnsafeMutablePointer<CChar>] = unsafe []
        fileprivate let protocols: UnsafeMutablePointer<lws_protocols>
        /// The periods of lws's own keepalive, which is disabled.
        fileprivate let keepalive: UnsafeMutablePointer<lws_retry_bo_t>

        init(protocolCount: Int) {
            unsafe protocols = .allocate(capacity: protocolCount + 1)
            unsafe protocols.initialize(repeating: lws_protocols(), count: protocolCount + 1)
            unsafe keepalive = .allocate(capacity: 1)
            unsafe keepalive.initialize(to: lws_retry_bo_t())
        }

        deinit {
            unsafe texts.forEach { unsafe free($0) }
            unsafe protocols.deallocate()
            unsafe keepalive.deallocate()
        }

        func pointer(_ text: String) -> UnsafePointer<CChar>? {
            guard let copy = unsafe strdup(text) else { return nil }
            unsafe texts.append(copy)
            return unsafe UnsafePointer(copy)
        }
    }

    private let texts: Texts

    /// Makes a vhost with the named protocols. Returns `nil` if lws cannot make it.
    init?(
        in context: LWSContext, protocols names: [String],
        _ configure: (inout lws_context_creation_info, Texts) -> Void
    ) {
        let texts = Texts(protocolCount: names.count)
        self.texts = texts
        for (index, name) in names.enumerated() {
            unsafe texts.protocols[index].name = texts.pointer(name)
            unsafe texts.protocols[index].callback = LWSSocket.callback
            unsafe texts.protocols[index].rx_buffer_size = Self.receiveBufferBytes
            unsafe texts.protocols[index].tx_packet_size = LWSLoop.frameBytes
        }
        var info = unsafe lws_context_creation_info()
        unsafe info.vhost_name = texts.pointer("swift-jsonrpc-engine")
        unsafe info.protocols = UnsafePointer(texts.protocols)
        unsafe info.retry_and_idle_policy = UnsafePointer(texts.keepalive)
        unsafe info.connect_timeout_secs = LWSProcess.longestWaitSeconds
        unsafe configure(&info, texts)
        // The texts live until lws has freed the vhost, even if it fails to make it.
        unsafe info.finalize_arg = Unmanaged.passRetained(texts).toOpaque()
        unsafe info.finalize = { _, texts in
            guard let texts = unsafe texts else { return }
            // Takes over the retain above. lws calls this once.
            unsafe Unmanaged<Texts>.fromOpaque(texts).release()
        }
        guard let pointer = unsafe lws_create_vhost(context.pointer, &info) else { return nil }
        unsafe self.pointer = pointer
    }

    /// Destroys the vhost and closes its sockets. It must not be used afterwards.
    func destroy() { unsafe lws_vhost_destroy(pointer) }
}
