// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The `SSL_CTX` that all outgoing connections of the process share. It trusts no certificate. The ``TLSHandshake`` of
/// a connection sets the trust store and all other options on the connection's own `SSL`.
enum TLSClient {
    /// Unchecked: an `SSL_CTX` may be used by any thread, and nothing here changes it after `init`.
    @safe private final class Context: @unchecked Sendable {
        let pointer: OpaquePointer?

        init() {
            OpenSSLLibrary.prepare()
            unsafe pointer = SSL_CTX_new(TLS_client_method())
            guard let pointer = unsafe pointer else { return }
            unsafe CLWS_SSL_CTX_set_up(pointer)
            unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            unsafe SSL_CTX_set_info_callback(pointer, TLSClient.informationCallback)
        }
    }

    private static let shared = Context()

    /// The list of protocols that ALPN offers, which contains `http/1.1` alone (RFC 7301 §3.1).
    private static let offeredProtocols: [UInt8] = [8] + Array("http/1.1".utf8)

    /// Returns TLS over a connected socket, ready for its handshake; `nil` if OpenSSL has no memory, or if an option of
    /// the handshake cannot be set.
    static func stream(for handshake: TLSHandshake, on socket: Int32) -> TLSStream? {
        guard let context = unsafe shared.pointer, let ssl = unsafe SSL_new(context) else { return nil }
        let stream = unsafe TLSStream(owning: ssl, socket: socket)
        // The `SSL` releases this retain when it is freed.
        let retained = unsafe Unmanaged.passRetained(handshake)
        guard unsafe SSL_set_ex_data(ssl, dataIndex, retained.toOpaque()) == 1 else {
            unsafe retained.release()
            return nil
        }
        guard unsafe SSL_set_fd(ssl, socket) == 1,
            unsafe SSL_set_alpn_protos(ssl, offeredProtocols, UInt32(offeredProtocols.count)) == 0,
            unsafe handshake.prepare(ssl)
        else { return nil }
        unsafe SSL_set_connect_state(ssl)
        return stream
    }

    /// The index of the handshake in an `SSL`'s data. The `SSL` holds one retain, which it releases when it is freed.
    private static let dataIndex = unsafe CLWS_SSL_new_data_index { _, handshake, _, _, _, _ in
        guard let handshake = unsafe handshake else { return }
        unsafe Unmanaged<TLSHandshake>.fromOpaque(handshake).release()
    }

    static func handshake(of ssl: OpaquePointer) -> TLSHandshake? {
        guard let data = unsafe SSL_get_ex_data(ssl, dataIndex) else { return nil }
        // The retain stays with the `SSL`, which lives while its callbacks run.
        return unsafe Unmanaged<TLSHandshake>.fromOpaque(data).takeUnretainedValue()
    }

    private static let informationCallback: @convention(c) (OpaquePointer?, Int32, Int32) -> Void = {
        ssl, place, value in
        guard let ssl = unsafe ssl, let handshake = unsafe handshake(of: ssl) else { return }
        if place & SSL_CB_HANDSHAKE_DONE != 0 { handshake.completed() }
        if place & SSL_CB_ALERT != 0, place & SSL_CB_READ != 0, let text = unsafe SSL_alert_desc_string_long(value),
            value >> 8 == SSL3_AL_FATAL
        {
            handshake.alertReceived(unsafe String(cString: text))
        }
        let code = ERR_peek_error()
        if place & SSL_CB_EXIT != 0, value <= 0, code != 0 { handshake.libraryFailed(openSSLText(code)) }
    }
}
