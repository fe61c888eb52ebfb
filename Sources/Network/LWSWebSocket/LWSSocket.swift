// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import WebSocket

/// The engine's side of a connection, from the first attempt to the end. It handles the callbacks of lws's `wsi`.
/// Subclasses do the opening handshake. The loop keeps the object until lws frees the `wsi`.
@safe class LWSSocket: EngineSocket {
    final let loop: LWSLoop
    final let host: LWSVirtualHost
    /// The `wsi`, while it can be used.
    final private(set) var wsi: OpaquePointer?
    /// The connection, once it is established.
    final var connection: EngineConnection?
    private var pendingClose: (code: UInt16, reason: String)?
    /// Whether lws was told to close.
    private var isClosing = false
    private var timer: LWSTimer?

    /// The number of bytes that are written before other connections are served.
    private static let bytesPerTurn = 512 << 10

    init(_ loop: LWSLoop, _ host: LWSVirtualHost) {
        self.loop = loop
        self.host = host
    }

    /// Assigns the `wsi`, whose callbacks the object handles from now on.
    final func adopt(_ wsi: OpaquePointer) {
        unsafe self.wsi = wsi
        timer = timer ?? LWSTimer(context: loop.context) { [unowned self] in hangUp() }
    }

    // MARK: Callbacks

    /// The function that lws calls for all events of the engine's vhosts. For some events the `wsi` argument is
    /// invalid, so it is only used for known events.
    static let callback:
        @convention(c) (
            OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
        ) -> Int32 = { wsi, reason, user, input, length in
            switch reason {
            case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
                return unsafe LWSListening.filter(wsi, user)
            case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
                unsafe LWSListening.accepted(wsi)
                return 0
            case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
                return unsafe LWSListening.setUpTLS(context: user, vhost: input)
            case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER, LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP,
                LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ, LWS_CALLBACK_CLIENT_HTTP_REDIRECT,
                LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH, LWS_CALLBACK_CLIENT_ESTABLISHED,
                LWS_CALLBACK_CLIENT_CONNECTION_ERROR, LWS_CALLBACK_CLIENT_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE_PONG,
                LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_CLIENT_CLOSED, LWS_CALLBACK_CLOSED_CLIENT_HTTP,
                LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_HTTP, LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_RECEIVE,
                LWS_CALLBACK_RECEIVE_PONG, LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_WS_PEER_INITIATED_CLOSE,
                LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLOSED_HTTP, LWS_CALLBACK_WSI_DESTROY:
                guard let wsi = unsafe wsi, let data = unsafe lws_get_opaque_user_data(wsi) else { return 0 }
                // Set when the `wsi` was made. The loop keeps the object until the event WSI_DESTROY.
                let socket = unsafe Unmanaged<LWSSocket>.fromOpaque(data).takeUnretainedValue()
                return unsafe socket.handle(reason, wsi, input, length)
            default:
                return 0
            }
        }

    /// Whether there is no connection, or it has ended.
    final var isOver: Bool { connection?.isOver ?? true }

    /// The pointer by which lws knows the object.
    final var opaque: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// Handles an event. Subclasses handle those of the opening handshake. A result other than 0 makes lws close.
    @unsafe func handle(
        _ reason: lws_callback_reasons, _ wsi: OpaquePointer, _ input: UnsafeMutableRawPointer?, _ length: Int
    ) -> Int32 {
        let bytes = unsafe UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
        switch reason {
        case LWS_CALLBACK_CLIENT_RECEIVE, LWS_CALLBACK_RECEIVE:
            unsafe connection?.received(
                bytes, following: Int(clamping: lws_remaining_packet_payload(wsi)),
                isBinary: lws_frame_is_binary(wsi) != 0, isLast: lws_is_final_fragment(wsi) != 0)
        case LWS_CALLBACK_CLIENT_RECEIVE_PONG, LWS_CALLBACK_RECEIVE_PONG:
            unsafe connection?.pongReceived(Array(bytes))
        case LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_SERVER_WRITEABLE:
            return unsafe write(wsi)
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
            let code = unsafe bytes.count < 2 ? 1005 : UInt16(bytes[0]) << 8 | UInt16(bytes[1])
            let isAnswered = unsafe connection?.peerClosed(code: code, reason: Array(bytes.dropFirst(2)))
            return isAnswered == false ? unsafe close(wsi) : 0
        case LWS_CALLBACK_CLIENT_CLOSED, LWS_CALLBACK_CLOSED:
            closed()
        case LWS_CALLBACK_WSI_DESTROY:
            destroyed()
        default:
            break
        }
        return 0
    }

    /// Handles the release of the `wsi`.
    func destroyed() {
        closed()
        timer?.cancel()
        connection = nil
        loop.remove(self)
    }

    final func closed() {
        unsafe wsi = nil
        connection?.socketClosed(
            "The connection ended without a closing handshake, or the peer violated the protocol: libwebsockets does "
                + "not tell which")
    }

    // MARK: Writing

    /// Writes a PING and frames until none is left, lws has buffered a part, or other connections must be served.
    @unsafe private func write(_ wsi: OpaquePointer) -> Int32 {
        guard !isClosing else { return 0 }
        if let connection, !connection.isOver, unsafe !write(wsi, of: connection) { return -1 }
        guard pendingClose != nil, unsafe lws_partial_buffered(wsi) == 0 else { return 0 }
        return unsafe close(wsi)
    }

    /// Returns the result that makes lws close, with the pending CLOSE frame if there is one.
    @unsafe private func close(_ wsi: OpaquePointer) -> Int32 {
        guard let close = pendingClose else { return -1 }
        pendingClose = nil
        isClosing = true
        // lws always sends a code.
        let code = close.code == WebSocketCloseCode.noStatusReceived.rawValue ? 1000 : close.code
        var reason = Array(close.reason.utf8.prefix(123))
        return unsafe CLWS_close(wsi, code, &reason, reason.count)
    }

    /// Returns `false` if lws could not write.
    @unsafe private func write(_ wsi: OpaquePointer, of connection: EngineConnection) -> Bool {
        let payload = unsafe loop.frame + Int(CLWS_PRE)
        if let ping = connection.takePing() {
            unsafe payload.update(from: ping, count: ping.count)
            guard unsafe CLWS_ping(wsi, payload, ping.count) else { return false }
        }
        let descriptor = unsafe lws_get_socket_fd(wsi)
        var isCorked = false
        defer { if isCorked { CLWS_cork(descriptor, 0) } }
        var written = 0
        while unsafe lws_partial_buffered(wsi) == 0 {
            guard written < Self.bytesPerTurn else { break }
            guard let frame = unsafe connection.nextFrame() else {
                connection.framesWritten()
                return true
            }
            // A frame that is alone needs no corking, which costs two system calls.
            if written > 0, !isCorked, connection.configuration.coalescesMessages {
                CLWS_cork(descriptor, 1)
                isCorked = true
            }
            let count = unsafe min(frame.payload.count, LWSLoop.frameBytes)
            if let source = unsafe frame.payload.baseAddress {
                unsafe UnsafeMutableRawPointer(payload).copyMemory(from: source, byteCount: count)
            }
            let isWritten = unsafe CLWS_write(
                wsi, payload, count, frame.isBinary, frame.isContinuation, frame.isFinal)
            guard isWritten else { return false }
            connection.frameWritten()
            written += count
        }
        unsafe lws_callback_on_writable(wsi)
        return true
    }

    // MARK: EngineSocket

    final var descriptor: Int32 {
        guard let wsi = unsafe wsi else { return -1 }
        return unsafe lws_get_socket_fd(wsi)
    }

    var ssl: OpaquePointer? {
        guard let wsi = unsafe wsi else { return nil }
        return unsafe lws_get_ssl(wsi)
    }

    /// The version of TLS, or `nil` without TLS.
    final var tlsVersion: String? {
        guard let ssl = unsafe ssl, let version = unsafe SSL_get_version(ssl) else { return nil }
        return unsafe String(cString: version)
    }

    final func requestWriting() {
        guard let wsi = unsafe wsi, !isClosing else { return }
        unsafe lws_callback_on_writable(wsi)
    }

    final func writeNow() {
        requestWriting()
        guard !loop.isServing, !isClosing, let wsi = unsafe wsi, unsafe lws_send_pipe_choked(wsi) == 0 else { return }
        service(Int16(POLLOUT))
    }

    final func setReading(_ isReading: Bool) {
        guard let wsi = unsafe wsi, !isClosing else { return }
        unsafe lws_rx_flow_control(wsi, isReading ? 1 : 0)
    }

    final func readOnce() -> Bool { service(Int16(POLLIN)) }

    /// Makes lws handle an event of the socket. Returns `false` if the socket cannot be used any more.
    @discardableResult private func service(_ event: Int16) -> Bool {
        let descriptor = descriptor
        guard descriptor >= 0, !isClosing else { return false }
        loop.isServing = true
        defer { loop.isServing = false }
        // With TLS, lws may have to read when it can write. It does so only if POLLIN is among the events.
        var entry = pollfd(fd: descriptor, events: event | Int16(POLLIN), revents: event)
        return unsafe lws_service_fd(loop.context.pointer, &entry) == 0
    }

    final func sendClose(code: UInt16, reason: String) {
        pendingClose = (code, reason)
        requestWriting()
    }

    final func hangUp() {
        if let wsi = unsafe wsi { unsafe CLWS_kill(wsi, false) }
    }

    final func hangUp(after time: Duration) {
        timer?.schedule(noLaterThan: MonotonicClock.now + time.wholeNanoseconds)
    }

    /// Ends the connection at once. lws must not be in a callback.
    final func killNow() {
        guard let wsi = unsafe wsi else { return loop.remove(self) }
        loop.isServing = true
        defer { loop.isServing = false }
        unsafe CLWS_kill(wsi, true)
    }
}

/// The header fields and the request line of a message that lws has received.
enum LWSHead {
    /// Returns the fields that lws shows, with names in lower case. lws joins the values of a repeated field by commas.
    @unsafe static func fields(of wsi: OpaquePointer) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        unsafe withUnsafeMutablePointer(to: &fields) { pointer in
            unsafe CLWS_visit_fields(
                wsi,
                { user, name, nameLength, value, valueLength in
                    guard let user = unsafe user, let name = unsafe name else { return }
                    let nameBytes = unsafe UnsafeRawBufferPointer(start: name, count: nameLength)
                    let valueBytes = unsafe UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength)
                    let field = unsafe (
                        name: String(decoding: nameBytes, as: UTF8.self).lowercased(),
                        value: String(decoding: valueBytes, as: UTF8.self)
                    )
                    unsafe user.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append(field)
                }, pointer)
        }
        return fields
    }
}
