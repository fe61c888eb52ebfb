// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Synchronization

/// The process's one `SSL_CTX` for outgoing connections. It believes nobody; what a connection needs is set on its own
/// `SSL` by its ``TLSHandshake``, when the handshake starts.
///
/// So one virtual host of libwebsockets does for all TLS material, and nothing has to be freed while handshakes that
/// use it may be under way.
enum TLSClient {
    /// For `provided_client_ssl_ctx`. Never freed; libwebsockets does not free what it was given.
    static var context: OpaquePointer? { unsafe shared.pointer }

    /// Unchecked: an `SSL_CTX` may be used by any thread, and nothing here changes it after `init`.
    @safe private final class Context: @unchecked Sendable {
        let pointer: OpaquePointer?

        init() {
            unsafe pointer = SSL_CTX_new(TLS_client_method())
            guard let pointer = unsafe pointer else { return }
            unsafe CLWS_SSL_CTX_set_mode(pointer, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS))
            unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            unsafe SSL_CTX_set_info_callback(pointer, TLSClient.informationCallback)
        }
    }

    private static let shared = Context()

    /// Handshakes that have not started, by the socket they are for.
    private static let awaited = Mutex<[Int32: TLSHandshake]>([:])

    /// Says that the next `SSL` on this socket is for this handshake. To be called before libwebsockets starts TLS.
    static func expect(_ handshake: TLSHandshake, on descriptor: Int32) {
        awaited.withLock { $0[descriptor] = handshake }
    }

    /// Takes ``expect(_:on:)`` back, if the handshake has not started and the descriptor is not in use for another.
    static func forget(_ handshake: TLSHandshake, on descriptor: Int32) {
        awaited.withLock { awaited in
            if awaited[descriptor] === handshake { awaited[descriptor] = nil }
        }
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
        guard let ssl = unsafe ssl else { return }
        if place & SSL_CB_HANDSHAKE_START != 0 { unsafe handshakeStarts(ssl) }
        guard let handshake = unsafe handshake(of: ssl) else { return }
        if place & SSL_CB_HANDSHAKE_DONE != 0 { handshake.completed() }
        if place & SSL_CB_ALERT != 0, place & SSL_CB_READ != 0, let text = unsafe SSL_alert_desc_string_long(value),
            value >> 8 == SSL3_AL_FATAL
        {
            handshake.alertReceived(unsafe String(cString: text))
        }
        let code = ERR_peek_error()
        if place & SSL_CB_EXIT != 0, value <= 0, code != 0 { handshake.libraryFailed(openSSLText(code)) }
    }

    private static func handshakeStarts(_ ssl: OpaquePointer) {
        // A renegotiation starts a second time.
        guard unsafe handshake(of: ssl) == nil else { return }
        let descriptor = unsafe SSL_get_fd(ssl)
        let handshake = awaited.withLock { $0.removeValue(forKey: descriptor) }
        guard let handshake else {
            // Nobody said what is to be proved: nothing will do.
            unsafe SSL_set_verify(ssl, SSL_VERIFY_PEER) { _, _ in 0 }
            return
        }
        let retained = unsafe Unmanaged.passRetained(handshake)
        guard unsafe SSL_set_ex_data(ssl, dataIndex, retained.toOpaque()) == 1 else {
            unsafe retained.release()
            unsafe SSL_set_verify(ssl, SSL_VERIFY_PEER) { _, _ in 0 }
            return
        }
        unsafe handshake.prepare(ssl)
    }
}
