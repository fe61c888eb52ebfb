// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import WebSocket

/// A client's connection. lws reports the end of an attempt in one of four ways: established, an error, no connection,
/// or only the release of the `wsi`. The opening uses the first report.
@safe final class LWSClientSocket: LWSSocket {
    private let opening: EngineOpening
    /// The memory in which lws stores the `wsi` before it connects.
    private let early: UnsafeMutablePointer<OpaquePointer?>
    /// Whether the request was composed. If so, the server may have received it.
    private var hasRequest = false
    private var subprotocol: String?
    private var bodyStart: [UInt8] = []

    /// The maximum number of bytes that are kept from the body of a refusal.
    private static let maximumBodyBytes = 4096

    init(_ opening: EngineOpening, _ loop: LWSLoop) throws(WebSocketError) {
        self.opening = opening
        try Self.check(opening.plan)
        let host = try loop.clientHost(for: Self.proxy(of: opening))
        unsafe early = .allocate(capacity: 1)
        unsafe early.initialize(to: nil)
        super.init(loop, host)
    }

    deinit { unsafe early.deallocate() }

    /// Refuses texts that lws would truncate.
    private static func check(_ plan: DialPlan) throws(WebSocketError) {
        func check(_ what: String, _ count: Int, _ limit: Int) throws(WebSocketError) {
            guard count > limit else { return }
            throw LWSEngine.unsupported("\(what) of more than \(limit) bytes", advice: nil)
        }
        try check("a path and query", plan.target.utf8.count, LWSLimits.targetBytes)
        try check("a Host field", plan.hostField.utf8.count, LWSLimits.hostBytes)
        try check("subprotocols", plan.subprotocols.joined(separator: ", ").utf8.count, LWSLimits.offerBytes)
        try check("header fields", fields(of: plan).count, LWSLimits.fieldBytes)
        guard let tunnel = tunnel(of: plan) else { return }
        try check("a host behind a proxy", tunnel.host.utf8.count, LWSLimits.tunnelHostBytes)
        if let credentials = tunnel.credentials {
            let count = credentials.user.utf8.count + credentials.password.utf8.count
            try check("a user name and password for a proxy", count, LWSLimits.credentialBytes)
        }
    }

    /// The server that a proxy should connect to, with brackets around an IPv6 address. It is `nil` without a proxy.
    private static func tunnel(
        of plan: DialPlan
    ) -> (host: String, port: UInt16, credentials: BasicCredentials?)? {
        guard case .proxy(let proxy, let host, let port) = plan.route else { return nil }
        return (host.hostField, port, proxy.credentials)
    }

    private static func proxy(of opening: EngineOpening) -> LWSProxy? {
        guard let tunnel = tunnel(of: opening.plan), case .address(let address, let port) = opening.hop else {
            return nil
        }
        return LWSProxy(address: address, port: port, user: tunnel.credentials)
    }

    private static func fields(of plan: DialPlan) -> [UInt8] {
        var text = ""
        for field in plan.headerFields { text += "\(field.name): \(field.value)\r\n" }
        if let origin = plan.origin { text += "Origin: \(origin)\r\n" }
        return Array(text.utf8)
    }

    // MARK: Connecting

    func connect() {
        let plan = opening.plan
        let destination: (address: String, port: Int32)
        switch (Self.tunnel(of: plan), opening.hop) {
        case (let tunnel?, _): destination = (tunnel.host, Int32(tunnel.port))
        case (nil, .address(let address, let port)): destination = (address, Int32(port))
        case (nil, .unixSocket(let path)): destination = ("+" + path, 0)
        }
        opening.socket = self
        loop.add(self)
        let offer = plan.subprotocols.joined(separator: ", ")
        // lws copies the texts during the call.
        let texts = LWSVirtualHost.Texts(protocolCount: 0)
        var info = unsafe lws_client_connect_info()
        unsafe info.context = loop.context.pointer
        unsafe info.vhost = host.pointer
        unsafe info.address = texts.pointer(destination.address)
        unsafe info.port = destination.port
        unsafe info.ssl_connection = plan.tls != nil ? CLWS_CONNECT_TLS : CLWS_CONNECT
        unsafe info.path = texts.pointer(plan.target)
        unsafe info.host = texts.pointer(plan.hostField)
        unsafe info.protocol = plan.subprotocols.isEmpty ? nil : texts.pointer(offer)
        unsafe info.local_protocol_name = texts.pointer(LWSVirtualHost.clientProtocol)
        unsafe info.opaque_user_data = opaque
        unsafe info.pwsi = early
        let isBegun = withExtendedLifetime(texts) { unsafe connect(&info) }
        guard !isBegun else { return }
        // lws has released the attempt. It may have called back before.
        opening.failed(failure(nil))
        destroyed()
    }

    /// Begins to connect. Returns `false` if lws has no connection.
    @unsafe private func connect(_ info: inout lws_client_connect_info) -> Bool {
        guard let wsi = unsafe lws_client_connect_via_info(&info) else { return false }
        if connection == nil { unsafe adopt(wsi) }
        return true
    }

    override var ssl: OpaquePointer? {
        // The TLS handshake over a Unix domain socket begins before lws returns the `wsi`.
        guard let wsi = unsafe wsi ?? early.pointee else { return nil }
        return unsafe lws_get_ssl(wsi)
    }

    // MARK: Callbacks

    @unsafe override func handle(
        _ reason: lws_callback_reasons, _ wsi: OpaquePointer, _ input: UnsafeMutableRawPointer?, _ length: Int
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
            return unsafe addFields(at: input, room: length)
        case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
            return unsafe answered(wsi)
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
            let bytes = unsafe UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
            unsafe bodyStart.append(contentsOf: bytes.prefix(Self.maximumBodyBytes - bodyStart.count))
        case LWS_CALLBACK_CLIENT_HTTP_REDIRECT:
            return -1
        case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
            subprotocol = unsafe LWSHead.fields(of: wsi).first { $0.name == "sec-websocket-protocol" }?.value
            return opening.accepts(subprotocol: subprotocol) ? 0 : -1
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            unsafe adopt(wsi)
            connection = opening.opened(self, subprotocol: subprotocol, tlsVersion: tlsVersion)
            return connection == nil ? -1 : 0
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            let text = unsafe input.map {
                unsafe String(decoding: UnsafeRawBufferPointer(start: $0, count: length), as: UTF8.self)
            }
            opening.failed(failure(text))
        default:
            return unsafe super.handle(reason, wsi, input, length)
        }
        return 0
    }

    @unsafe private func addFields(at input: UnsafeMutableRawPointer?, room: Int) -> Int32 {
        hasRequest = true
        let fields = Self.fields(of: opening.plan)
        guard let place = unsafe input?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self),
            let start = unsafe place.pointee, fields.count <= room
        else {
            opening.failed(LWSEngine.unsupported("header fields of \(fields.count) bytes", advice: nil))
            return -1
        }
        unsafe fields.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(start: start, count: room).copyMemory(from: bytes)
        }
        unsafe place.pointee = start + fields.count
        return 0
    }

    @unsafe private func answered(_ wsi: OpaquePointer) -> Int32 {
        let status = unsafe Int(lws_http_client_http_response(wsi))
        guard status != 101 else { return 0 }
        guard status >= 200 else {
            opening.failed(
                WebSocketError(
                    .invalidHandshake,
                    "The server sent an interim response (status \(status)), which the engine libwebsockets does not "
                        + "skip."))
            return -1
        }
        let fields = unsafe LWSHead.fields(of: wsi)
        var buffer = [CChar](repeating: 0, count: Self.maximumBodyBytes)
        unsafe buffer.withUnsafeMutableBufferPointer { room in
            var start = room.baseAddress
            var count = Int32(room.count)
            // lws passes the bytes that have arrived to the callback.
            unsafe lws_http_client_read(wsi, &start, &count)
        }
        opening.refused(status: status, fields: fields, bodyStart: bodyStart)
        return -1
    }

    override func destroyed() {
        opening.failed(failure(nil))
        unsafe early.pointee = nil
        super.destroyed()
    }

    /// Makes the error for a failed attempt. `text` is the reason that lws gives.
    private func failure(_ text: String?) -> WebSocketError {
        if let error = opening.tlsFailure { return error }
        let quotation = text.map { " (\"\($0)\")" } ?? ""
        if let text, text.hasPrefix("HS:") || text.hasPrefix("problems parsing") || text.hasPrefix("ws protocol") {
            return WebSocketError(.invalidHandshake, "libwebsockets did not accept the server's answer\(quotation).")
        }
        if let text, text.contains("proxy"), !hasRequest {
            return WebSocketError(
                .proxyFailed,
                "The proxy did not connect to the server\(quotation). libwebsockets does not show the proxy's answer.",
                isRetryable: true)
        }
        if hasRequest {
            return WebSocketError(
                .connectionLost,
                "The connection ended before the server answered, and libwebsockets does not say why\(quotation).")
        }
        return WebSocketError(
            .connectFailed, "Could not connect, and libwebsockets does not say why\(quotation).", isRetryable: true)
    }
}
