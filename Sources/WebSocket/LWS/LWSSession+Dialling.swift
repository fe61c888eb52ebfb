// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// A dial that is going on: its request, and what is known of it.
struct DialAttempt {
    let request: DialRequest
    /// What the attempt failed with, when lws has said so.
    var error: WebSocketError?
    var response: WebSocketError.Response?
    /// lws is in the call that makes the wsi: its return value tells the outcome.
    var isInConnectCall = false
    var isEstablished = false
    /// lws has let go of the wsi.
    var isDestroyed = false
    /// The socket for which TLS is to start.
    var descriptor: Int32?

    init(request: DialRequest) { self.request = request }
}

extension LWSSession {
    /// Has lws take the connected socket over.
    ///
    /// The attempt ends in one of four ways: established; an error told; no wsi at all; or only a destroyed wsi.
    func startDialling() {
        context.assertOnThread()
        schedule()
        guard let request = dial?.request else { return }
        guard let vhost = unsafe context.clientVhost(offersDeflate: configuration.compression) else {
            return settleDial(.failure(WebSocketError(.eventLoopsStopped, "The event loop has no virtual host.")))
        }
        let handover: SocketHandover
        do {
            handover = try SocketHandover()
        } catch {
            return settleDial(.failure(error))
        }
        dial?.isInConnectCall = true
        let made = unsafe connect(to: handover.address, request: request, vhost: vhost)
        withExtendedLifetime(handover) {}  // Its listener has to be there until lws has connected.
        guard dial != nil else { return }
        dial?.isInConnectCall = false
        if unsafe made == nil || dial?.isDestroyed == true {
            unsafe wsi = nil
            attemptEnded()
        } else {
            unsafe wsi = made
        }
    }

    @unsafe private func connect(to address: String, request: DialRequest, vhost: OpaquePointer) -> OpaquePointer? {
        var info = unsafe lws_client_connect_info()
        unsafe info.context = context.pointer
        unsafe info.vhost = vhost
        var flags = LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue
        if request.dialled.handshake != nil {
            // The host name is checked by `TLSHandshake`, against a name that lws did not cut.
            flags |= LCCSCF_USE_SSL.rawValue | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK.rawValue
        }
        unsafe info.ssl_connection = Int32(bitPattern: flags)
        unsafe info.ietf_version_or_minus_one = -1
        // Not retained: the context holds each session until lws has destroyed its socket.
        unsafe info.opaque_user_data = Unmanaged.passUnretained(self).toOpaque()
        unsafe info.retry_and_idle_policy = UnsafePointer(context.noValidityChecks)
        let subprotocols = request.plan.subprotocols.isEmpty ? nil : request.plan.subprotocols.joined(separator: ", ")
        return unsafe withCStrings([
            address, UpgradeRequest.placeholderPath, UpgradeRequest.placeholderHost, "http/1.1", subprotocols,
            LWSVhostMemory.noneName,
        ]) { strings in
            unsafe info.address = strings[0]
            unsafe info.path = strings[1]
            unsafe info.host = strings[2]
            unsafe info.alpn = strings[3]
            unsafe info.protocol = strings[4]
            unsafe info.local_protocol_name = strings[5]
            // lws calls back before this returns: `socketMade(_:)` notes the wsi, `wsiDestroyed()` that it is gone.
            return unsafe lws_client_connect_via_info(&info)
        }
    }

    /// lws has connected to where it was told, and has not sent anything.
    @unsafe func socketMade(_ wsi: OpaquePointer) {
        unsafe self.wsi = wsi
        guard let dialled = dial?.request.dialled else { return }
        let descriptor = unsafe lws_get_socket_fd(wsi)
        do {
            try SocketHandover.replace(descriptor, with: dialled.socket)
        } catch {
            // The connection to ourselves ends when `startDialling` closes its other side.
            dial?.error = error
            return
        }
        if let handshake = dialled.handshake {
            dial?.descriptor = descriptor
            TLSClient.expect(handshake, on: descriptor)
        }
    }

    /// Puts the request of our own in the place of what lws has written of it so far.
    @unsafe func writeRequest(at input: UnsafeMutableRawPointer?, room: Int) -> Int32 {
        guard let plan = dial?.request.plan, let input = unsafe input else { return 0 }
        let end = unsafe input.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>.self)
        // lws tells the room left in its buffer, less twelve bytes that it keeps; so the buffer's start is known.
        let capacity = LWSContext.serviceBufferBytes - 12
        let count = capacity - room
        guard count > 0, room >= 0 else { return -1 }
        let start = unsafe end.pointee - count
        let written = unsafe Array(UnsafeBufferPointer(start: start, count: count))
        guard let head = UpgradeRequest.head(for: plan, replacing: written), head.count <= capacity else {
            dial?.error = WebSocketError(.invalidConfiguration, "The opening handshake's request cannot be written.")
            return -1
        }
        unsafe start.update(from: head, count: head.count)
        unsafe end.pointee = start + head.count
        return 0
    }

    /// The server's answer has come, and may be no upgrade. Only now can it be read.
    @unsafe func responseReceived(wsi: OpaquePointer) -> Int32 {
        let status = unsafe Int(lws_http_client_http_response(wsi))
        guard status != 101, dial != nil else { return 0 }
        dial?.response = unsafe WebSocketError.Response(
            status: status, headers: LWSHeaders.all(of: wsi), bodyStart: [])
        var pointer: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        _ = unsafe lws_http_client_read(wsi, &pointer, &length)
        return -1
    }

    @unsafe func responseBodyReceived(_ bytes: UnsafeRawBufferPointer) {
        let room = 4096 - (dial?.response?.bodyStart.count ?? 4096)
        guard room > 0 else { return }
        unsafe dial?.response?.bodyStart.append(contentsOf: bytes.prefix(room))
    }

    /// lws has found the answer right; the header fields can still be read.
    @unsafe func handshakeValid(wsi: OpaquePointer) -> Int32 {
        guard let dial else { return -1 }
        let chosen = unsafe LWSHeaders.value(of: WSI_TOKEN_PROTOCOL, in: wsi)
        if chosen == nil, configuration.requiresSubprotocol, !configuration.subprotocols.isEmpty {
            self.dial?.error = WebSocketError(.subprotocolMismatch, "The server chose none of our subprotocols.")
            return -1
        }
        dial.request.connection.subprotocolChosen(chosen)
        return 0
    }

    /// lws says why the attempt failed.
    func attemptFailed(_ text: String) {
        guard let dial, dial.error == nil else { return }
        var error = tlsFailure ?? DialFailure.error(lwsText: text, response: dial.response)
        if error.code == .connectionLost || error.code == .tlsFailed, let wsi = unsafe wsi {
            let pending = unsafe LWSSocket.pendingError(lws_get_socket_fd(wsi))
            error.systemError = DialFailure.systemError(in: text) ?? pending
        }
        self.dial?.error = error
    }

    /// The attempt is over, and the connection does not stand.
    func attemptEnded() {
        guard let dial, !dial.isInConnectCall else { return }
        let error = dial.error ?? tlsFailure ?? DialFailure.unexplained(response: dial.response)
        settleDial(.failure(error))
    }

    /// What TLS failed with. An answer to the request takes precedence: it came later.
    private var tlsFailure: WebSocketError? {
        dial?.response == nil ? dial?.request.dialled.handshake?.failure : nil
    }

    /// Nobody waits for the dial any more.
    func abandonDial() {
        settleDial(.failure(WebSocketError(.closing, "The dial was given up.")))
    }

    /// Ends the dial. A wsi that is left is closed, and no longer ours.
    func settleDial(_ result: Result<Void, WebSocketError>) {
        guard let request = dial?.request else { return }
        if let descriptor = dial?.descriptor, let handshake = request.dialled.handshake {
            TLSClient.forget(handshake, on: descriptor)
        }
        dial = nil
        deadlines.dial = nil
        if let wsi = unsafe wsi {
            unsafe lws_set_opaque_user_data(wsi, nil)
            kill()
            unsafe self.wsi = nil
        }
        end()
        request.completion(result)
    }
}
