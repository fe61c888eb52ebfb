// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// A dial that is going on: its request, and what is known of the attempt at one address.
struct DialAttempt {
    let request: DialRequest
    /// The index of the address that is being tried.
    var address = 0
    /// What the attempt failed with, when lws has said so.
    var error: WebSocketError?
    var response: WebSocketError.Response?
    /// lws is in the call that makes the wsi: its return value tells the outcome.
    var isInConnectCall = false
    var isEstablished = false
    /// When the next address is to be tried.
    var retryAt: Int64?

    init(request: DialRequest) { self.request = request }
}

extension LWSSession {
    /// Tries the first address.
    func startDialling() {
        schedule()
        dialNext()
    }

    /// Tries the address whose turn it is.
    ///
    /// An attempt ends in one of four ways: established; an error told; no wsi at all; or only a destroyed wsi.
    func dialNext() {
        context.assertOnThread()
        guard let request = dial?.request, let index = dial?.address else { return }
        guard request.target.addresses.indices.contains(index), let vhost = unsafe context.clientVhost else {
            return settleDial(.failure(dial?.error ?? WebSocketError(.connectFailed, "There is no address to dial.")))
        }
        dial?.error = nil
        dial?.response = nil
        dial?.isInConnectCall = true
        let made = unsafe connect(to: request.target.addresses[index], request: request, vhost: vhost)
        guard dial != nil else { return }
        dial?.isInConnectCall = false
        if unsafe made == nil {
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
        unsafe info.port = Int32(truncatingIfNeeded: request.target.port)
        unsafe info.ssl_connection = Int32(bitPattern: LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue)
        unsafe info.ietf_version_or_minus_one = -1
        unsafe info.opaque_user_data = Unmanaged.passUnretained(self).toOpaque()
        unsafe info.retry_and_idle_policy = UnsafePointer(context.noValidityChecks)
        let subprotocols = configuration.subprotocols.isEmpty ? nil : configuration.subprotocols.joined(separator: ", ")
        return unsafe withCStrings([
            address, request.target.path, request.target.host, configuration.origin, subprotocols,
            LWSVhostProtocols.noneName,
        ]) { strings in
            unsafe info.address = strings[0]
            unsafe info.path = strings[1]
            unsafe info.host = strings[2]
            unsafe info.origin = strings[3]
            unsafe info.protocol = strings[4]
            unsafe info.local_protocol_name = strings[5]
            return unsafe lws_client_connect_via_info(&info)
        }
    }

    /// Writes the further header fields where lws wants them.
    @unsafe func appendHeaders(to input: UnsafeMutableRawPointer?, room: Int) -> Int32 {
        guard let request = dial?.request, let input = unsafe input else { return 0 }
        let slot = unsafe input.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>.self)
        var left = room
        for header in request.headers {
            let line = Array("\(header.name): \(header.value)\r\n".utf8)
            guard line.count < left else {
                dial?.error = WebSocketError(.invalidConfiguration, "The header fields are too long.")
                return -1
            }
            unsafe slot.pointee.update(from: line, count: line.count)
            unsafe slot.pointee += line.count
            left -= line.count
        }
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
        self.dial?.error = DialFailure.error(lwsText: text, response: dial.response)
    }

    /// The attempt is over, and the connection does not stand.
    func attemptEnded() {
        guard let dial, !dial.isInConnectCall else { return }
        let error =
            dial.error
            ?? DialFailure.error(
                unexplained: dial.request.target.addresses[dial.address], response: dial.response)
        self.dial?.error = error
        let hasNext = dial.address + 1 < dial.request.target.addresses.count
        guard hasNext, error.code == .connectFailed else { return settleDial(.failure(error)) }
        self.dial?.address += 1
        // Not from here: lws may be in the middle of taking the last attempt down.
        self.dial?.retryAt = MonotonicClock.now
        schedule()
    }

    /// Nobody waits for the dial any more.
    func abandonDial() {
        settleDial(.failure(WebSocketError(.closing, "The dial was given up.")))
    }

    /// Ends the dial. A wsi that is left is closed, and no longer ours.
    func settleDial(_ result: Result<Void, WebSocketError>) {
        guard let request = dial?.request else { return }
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

/// Calls `body` with the strings as C strings, `nil` for `nil`. They live until it returns.
@unsafe private func withCStrings<Result>(
    _ strings: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    var pointers: [UnsafePointer<CChar>?] = unsafe []
    func descend(_ index: Int) -> Result {
        guard index < strings.count else { return unsafe body(pointers) }
        guard let string = strings[index] else {
            unsafe pointers.append(nil)
            return descend(index + 1)
        }
        return unsafe string.withCString { pointer in
            unsafe pointers.append(pointer)
            return descend(index + 1)
        }
    }
    return descend(0)
}
