// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// What the `SSL_CTX` of a listener is made of.
struct TLSServer: Sendable {
    private let identity: LoadedIdentity
    private let clientTrust: TrustStore?
    private let minimumVersion: Int32
    private let maximumVersion: Int32

    /// Reads the files; blocks for that long.
    init(_ configuration: TLSListenerConfiguration) throws(WebSocketError) {
        identity = try LoadedIdentity(configuration.identity)
        clientTrust = try configuration.clientAuthorities.map { (source) throws(WebSocketError) in
            try TrustStore.store(for: .only(source))
        }
        minimumVersion = configuration.minimumVersion.number
        maximumVersion = configuration.maximumVersion.number
    }

    /// Sets up the `SSL_CTX` that libwebsockets has made for a vhost. False when that failed.
    @unsafe func prepare(_ context: OpaquePointer) -> Bool {
        guard unsafe CLWS_SSL_CTX_set_versions(context, minimumVersion, maximumVersion) == 1,
            unsafe SSL_CTX_use_certificate(context, identity.certificate.pointer) == 1,
            unsafe SSL_CTX_use_PrivateKey(context, identity.privateKey.pointer) == 1,
            identity.intermediates.allSatisfy({
                unsafe CLWS_SSL_CTX_add_chain_certificate(context, $0.pointer) == 1
            })
        else { return false }
        guard let clientTrust else { return true }
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        // Sessions of clients that were checked may be resumed only here.
        let name: StaticString = "listener"
        return unsafe CLWS_SSL_CTX_set_trust_store(context, clientTrust.pointer) == 1
            && SSL_CTX_set_session_id_context(context, name.utf8Start, UInt32(name.utf8CodeUnitCount)) == 1
    }
}

extension TLSConfiguration.Version {
    /// The number that stands for the version in OpenSSL.
    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}
