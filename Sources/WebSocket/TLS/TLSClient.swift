// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The process's one `SSL_CTX` for outgoing connections. It believes nobody; what a connection needs is set on its own
/// `SSL` by its ``TLSHandshake``.
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

    /// What `http/1.1` is in the list that ALPN offers (RFC 7301 §3.1).
    private static let offeredProtocols: [UInt8] = [8] + Array("http/1.1".utf8)

    /// TLS over a connected socket, ready for its handshake. `nil` when OpenSSL has no memory for it, or cannot take
    /// what the handshake needs.
    static func stream(for handshake: TLSHandshake, on socket: Int32) -> TLSStream? {
        guard let context = unsafe shared.pointer, let ssl = unsafe SSL_new(context) else { return nil }
        let stream = unsafe TLSStream(owning: ssl, socket: socket)
        // The SSL gives this retain back when it is freed.
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

    /// Where an `SSL` keeps its handshake. The `SSL` holds one retain, which it gives back when it is freed.
    private static let dataIndex = unsafe CLWS_SSL_new_data_index { _, handshake, _, _, _, _ in
        guard let handshake = unsafe handshake else { return }
        unsafe Unmanaged<TLSHandshake>.fromOpaque(handshake).release()
    }

    static func handshake(of ssl: OpaquePointer) -> TLSHandshake? {
        guard let data = unsafe SSL_get_ex_data(ssl, dataIndex) else { return nil }
        // Not taken over: the SSL keeps its retain, and lives while its callbacks run.
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
