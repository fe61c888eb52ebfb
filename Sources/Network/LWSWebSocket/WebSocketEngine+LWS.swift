// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WebSocket

extension WebSocketEngine {
    /// The engine in which libwebsockets connects, listens, does the handshakes of TLS and WebSocket, reads, writes and
    /// masks frames, and closes.
    ///
    /// It only uses the documented interface of libwebsockets. The article "The two engines" describes the differences
    /// from `builtIn`. Options that it does not support are errors when a program connects or listens:
    /// `WebSocketConfiguration.compression`, and a listener at a Unix domain socket.
    public static let libwebsockets = WebSocketEngine("libwebsockets", LWSEngine())
}

/// The engine over libwebsockets. lws calls it back in `lws_service`, so it passes messages to receivers there. Their
/// requests, such as to send or to close, are executed later: the outbox is written in the next callback for writing,
/// and the rest between two calls of lws, through the mailbox of the thread.
struct LWSEngine: EngineImplementation {
    func check(_ configuration: WebSocketConfiguration) throws(WebSocketError) {
        guard !configuration.compression else {
            throw Self.unsupported(
                "permessage-deflate",
                advice: "Set WebSocketConfiguration.compression to false, or WebSocketConfiguration.engine to builtIn.")
        }
    }

    func check(
        _ configuration: WebSocketListener.Configuration, at address: WebSocketListener.Address
    ) throws(WebSocketError) {
        try check(configuration.connection)
        guard case .host(let host, _) = address else {
            throw Self.unsupported(
                "a listener at a Unix domain socket", advice: "Set WebSocketConfiguration.engine to builtIn.")
        }
        guard !host.contains("%") else {
            throw Self.unsupported("the zone of an address to listen at", advice: nil)
        }
        if let name = configuration.subprotocols.first(where: { $0.utf8.count > LWSLimits.subprotocolBytes }) {
            throw Self.unsupported(
                "a subprotocol of more than \(LWSLimits.subprotocolBytes) bytes at a listener: \(name.prefix(80))",
                advice: nil)
        }
    }

    static func unsupported(_ feature: String, advice: String?) -> WebSocketError {
        WebSocketError(
            .invalidConfiguration, "The WebSocket engine libwebsockets does not support \(feature).", advice: advice)
    }

    func dial(_ opening: EngineOpening, on context: LWSContext) {
        do throws(WebSocketError) {
            try LWSClientSocket(opening, LWSLoop.of(context)).connect()
        } catch {
            opening.failed(error)
        }
    }

    func listen(_ listener: EngineListener, on context: LWSContext) throws(WebSocketError) {
        let listening = try LWSListening(listener, LWSLoop.of(context))
        listener.driver = listening
        listener.port = listening.port
    }
}

/// The lengths at which lws truncates a text without an error.
enum LWSLimits {
    /// The target of a request. lws has 2048 bytes for the request line.
    static let targetBytes = 2000
    /// The `Host` field. lws has 128 bytes for the line.
    static let hostBytes = 117
    /// All subprotocols that a client offers.
    static let offerBytes = 4096
    /// The name of one subprotocol at a listener.
    static let subprotocolBytes = 63
    /// The user name and the password for a proxy.
    static let credentialBytes = 90
    /// The host in a CONNECT request, which contains it twice in 256 bytes.
    static let tunnelHostBytes = 80
    /// All header fields of a request.
    static let fieldBytes = LWSProcess.serviceBufferBytes - 16_384
}
