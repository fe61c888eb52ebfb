// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Synchronization

/// The checks and the result of a client's TLS handshake.
///
/// It sets up an `SSL` before its handshake. If the handshake fails, it keeps the cause, because OpenSSL reports the
/// same error for all causes.
final class TLSHandshake: Sendable {
    private struct Outcome {
        var isComplete = false
        var verdict: CertificateVerdict?
        var alert: String?
        var libraryError: String?
    }

    let serverName: ServerName
    private let isInsecure: Bool
    private let minimumVersion: TLSConfiguration.Version
    private let trust: TrustStore?
    private let identity: LoadedIdentity?
    private let outcome = Mutex(Outcome())

    /// Reads the files of the configuration. Blocks until they are read.
    init(_ plan: TLSPlan) throws(WebSocketError) {
        serverName = plan.serverName
        isInsecure = plan.configuration.isInsecure
        minimumVersion = plan.configuration.minimumVersion
        trust = isInsecure ? nil : try TrustStore.store(for: plan.configuration.trust)
        identity = try plan.configuration.identity.map { (identity) throws(WebSocketError) in
            try LoadedIdentity(identity)
        }
    }

    /// The TLS error of a connection that ended before the opening handshake was done; `nil` if TLS did not fail.
    var failure: WebSocketError? {
        let outcome = outcome.withLock { $0 }
        if let verdict = outcome.verdict { return verdict.error(for: serverName) }
        if let alert = outcome.alert {
            return WebSocketError(.tlsFailed, "The server ended the TLS handshake with the alert \"\(alert)\".")
        }
        if let reason = outcome.libraryError {
            return WebSocketError(.tlsFailed, "The TLS handshake failed: \(reason).")
        }
        if outcome.isComplete { return nil }
        return WebSocketError(.tlsFailed, "The connection ended before the TLS handshake was done.")
    }

    /// Sets up an `SSL` that has not sent anything yet.
    ///
    /// - Returns: `false` if an option cannot be set.
    func prepare(_ ssl: OpaquePointer) -> Bool {
        unsafe SSL_set_verify(ssl, SSL_VERIFY_PEER, Self.verifyCallback)
        return unsafe setServerName(on: ssl) && setTrust(on: ssl) && setIdentity(on: ssl)
    }

    private func setServerName(on ssl: OpaquePointer) -> Bool {
        guard let parameters = unsafe SSL_get0_param(ssl) else { return false }
        // The common name is ignored (RFC 9525 §6.3), so a certificate without alternative names matches no server.
        let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(flags))
        switch serverName {
        case .name(let name):
            return unsafe CLWS_SSL_set_server_name(ssl, name) == 1
                && (isInsecure || X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1)
        case .address(let address):
            return unsafe isInsecure || X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1
        }
    }

    private func setTrust(on ssl: OpaquePointer) -> Bool {
        guard unsafe CLWS_SSL_set_minimum_version(ssl, minimumVersion.number) == 1 else { return false }
        guard let trust else { return isInsecure }
        return unsafe CLWS_SSL_set_trust_store(ssl, trust.pointer) == 1
    }

    private func setIdentity(on ssl: OpaquePointer) -> Bool {
        guard let identity else { return true }
        guard unsafe SSL_use_certificate(ssl, identity.certificate.pointer) == 1,
            unsafe SSL_use_PrivateKey(ssl, identity.privateKey.pointer) == 1
        else { return false }
        return identity.intermediates.allSatisfy { unsafe CLWS_SSL_add_chain_certificate(ssl, $0.pointer) == 1 }
    }

    /// Returns whether a certificate is accepted. OpenSSL calls it for each certificate of the chain, and for each
    /// fault.
    private func accepts(_ context: OpaquePointer, isFaultless: Bool) -> Bool {
        let verdict = unsafe CertificateVerdict(
            code: X509_STORE_CTX_get_error(context), depth: X509_STORE_CTX_get_error_depth(context))
        let accepts = outcome.withLock { outcome in
            if isFaultless || isInsecure { return true }
            outcome.verdict = outcome.verdict ?? verdict
            return false
        }
        // Otherwise, an accepted connection would keep the fault as its result.
        if accepts { unsafe X509_STORE_CTX_set_error(context, X509_V_OK) }
        return accepts
    }

    private static let verifyCallback: @convention(c) (Int32, OpaquePointer?) -> Int32 = { isFaultless, context in
        guard let context = unsafe context,
            let ssl = unsafe X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let handshake = unsafe TLSClient.handshake(of: OpaquePointer(ssl))
        else { return 0 }
        return unsafe handshake.accepts(context, isFaultless: isFaultless == 1) ? 1 : 0
    }

    func completed() {
        outcome.withLock { $0.isComplete = true }
    }

    func alertReceived(_ text: String) {
        outcome.withLock { $0.alert = $0.alert ?? text }
    }

    func libraryFailed(_ text: String) {
        outcome.withLock { $0.libraryError = $0.libraryError ?? text }
    }
}
