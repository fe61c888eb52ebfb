// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The `SSL_CTX` of a listener, with its certificates. Unchecked: any thread may use an `SSL_CTX`, and nothing changes
/// it after `init`.
@safe package final class TLSServer: @unchecked Sendable {
    private let context: OpaquePointer
    private let identity: LoadedIdentity
    private let clientTrust: TrustStore?
    private let versions: (Int32, Int32)

    /// Reads the files, and blocks until they are read.
    package init(_ configuration: TLSListenerConfiguration) throws(SocketError) {
        OpenSSLLibrary.prepare()
        identity = try LoadedIdentity(configuration.identity)
        clientTrust = try configuration.clientAuthorities.map { (source) throws(SocketError) in
            try TrustStore.store(for: .only(source))
        }
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw SocketError(.invalidConfiguration, "Could not set up TLS for the listener: there is no memory.")
        }
        unsafe self.context = context
        versions = (configuration.minimumVersion.number, configuration.maximumVersion.number)
        guard unsafe setUp(context) else {
            let reason = openSSLText(ERR_peek_error())
            ERR_clear_error()
            throw SocketError(.invalidConfiguration, "Could not set up TLS for the listener: \(reason).")
        }
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// Sets the certificates and all other options on an `SSL_CTX`. Returns `false` if one cannot be set.
    @unsafe package func setUp(_ context: OpaquePointer) -> Bool {
        unsafe CLWS_SSL_CTX_set_up(context)
        unsafe SSL_CTX_set_alpn_select_cb(context, Self.protocolCallback, nil)
        guard unsafe CLWS_SSL_CTX_set_versions(context, versions.0, versions.1) == 1,
            unsafe SSL_CTX_use_certificate(context, identity.certificate.pointer) == 1,
            unsafe SSL_CTX_use_PrivateKey(context, identity.privateKey.pointer) == 1,
            identity.intermediates.allSatisfy({
                unsafe CLWS_SSL_CTX_add_chain_certificate(context, $0.pointer) == 1
            })
        else { return false }
        guard let clientTrust else { return true }
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        return unsafe CLWS_SSL_CTX_set_trust_store(context, clientTrust.pointer) == 1
    }

    /// Returns TLS over an accepted socket, ready for its handshake. It is `nil` if OpenSSL has no memory.
    package func stream(on socket: Int32) -> TLSStream? {
        guard let ssl = unsafe SSL_new(context) else { return nil }
        let stream = unsafe TLSStream(owning: ssl, socket: socket)
        guard unsafe SSL_set_fd(ssl, socket) == 1 else { return nil }
        unsafe SSL_set_accept_state(ssl)
        return stream
    }

    /// The callback that chooses `http/1.1` if a client offers it (RFC 7301 §3.2). Otherwise no protocol is chosen.
    private static let protocolCallback:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32 = { _, chosen, chosenLength, offered, offeredLength, _ in
            let wanted = Array("http/1.1".utf8)
            let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredLength))
            var index = 0
            while index < list.count {
                let name = unsafe list[(index + 1)...].prefix(Int(list[index]))
                if unsafe name.elementsEqual(wanted) {
                    unsafe chosen?.pointee = UnsafeBufferPointer(rebasing: name).baseAddress
                    unsafe chosenLength?.pointee = UInt8(wanted.count)
                    return SSL_TLSEXT_ERR_OK
                }
                unsafe index += 1 + Int(list[index])
            }
            return SSL_TLSEXT_ERR_NOACK
        }
}

extension TLSConfiguration.Version {
    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}
