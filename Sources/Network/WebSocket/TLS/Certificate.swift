// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// An X.509 certificate.
///
/// Unchecked: OpenSSL counts references to an `X509` atomically and locks the values that it computes lazily. No code
/// here changes a certificate.
@safe final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }
}

/// A private key.
///
/// Unchecked: as for ``Certificate``.
@safe final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }
}

/// The certificates and the key of a ``TLSConfiguration/Identity``, read from its sources.
struct LoadedIdentity: Sendable {
    let certificate: Certificate
    let intermediates: [Certificate]
    let privateKey: PrivateKey

    /// Reads the certificates and the key.
    ///
    /// - Throws: ``WebSocketError`` with the code `invalidConfiguration`, also if the key is not that of the first
    ///   certificate.
    init(_ identity: TLSConfiguration.Identity) throws(WebSocketError) {
        let chain = try identity.certificateChain.certificates()
        guard let certificate = chain.first else {
            throw WebSocketError(.invalidConfiguration, "Could not use the TLS identity: it has no certificate.")
        }
        self.certificate = certificate
        intermediates = Array(chain.dropFirst())
        privateKey = try identity.privateKey.privateKey(passphrase: identity.passphrase)
        let belongs = unsafe X509_check_private_key(certificate.pointer, privateKey.pointer) == 1
        ERR_clear_error()
        guard belongs else {
            throw WebSocketError(
                .invalidConfiguration,
                "Could not use the private key of \(identity.privateKey.name): it does not belong to the first "
                    + "certificate of \(identity.certificateChain.name).")
        }
    }
}
