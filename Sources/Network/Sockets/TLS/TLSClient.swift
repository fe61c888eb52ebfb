// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The TLS options of a connection, and the name or address that the certificate must be for.
package struct TLSPlan: Sendable, Hashable {
    package var configuration: TLSConfiguration
    package var serverName: URLHost

    /// Makes a plan. `serverName` is the name from the URL. The name in the configuration takes precedence.
    package init(configuration: TLSConfiguration, serverName: URLHost) throws(SocketError) {
        self.configuration = configuration
        self.serverName = serverName
        guard let name = configuration.serverName else { return }
        do {
            self.serverName = try URLHost(name.contains(":") ? "[\(name)]"[...] : name[...]).serverName
        } catch {
            throw SocketError(.invalidConfiguration, "Could not use the server name for TLS: \(error.reason).")
        }
    }
}

/// The `SSL_CTX` that all outgoing connections of the process share. It trusts no certificate. The ``TLSHandshake`` of
/// a connection sets the trust store and all other options on the connection's own `SSL`.
package enum TLSClient {
    /// `nil` without memory. `nonisolated(unsafe)`: any thread may use an `SSL_CTX`, and nothing changes this one.
    nonisolated(unsafe) package static let context: OpaquePointer? = {
        OpenSSLLibrary.prepare()
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { return nil }
        unsafe CLWS_SSL_CTX_set_up(context)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        unsafe SSL_CTX_set_info_callback(context, TLSHandshake.informationCallback)
        return unsafe context
    }()

    /// The list of protocols for ALPN, which only contains `http/1.1` (RFC 7301 §3.1).
    private static let offeredProtocols: [UInt8] = [8] + Array("http/1.1".utf8)

    /// Returns TLS over a connected socket, ready for its handshake. It is `nil` if OpenSSL has no memory, or if an
    /// option of the handshake cannot be set.
    package static func stream(for plan: LoadedTLSPlan, on socket: Int32) -> TLSStream? {
        guard let context = unsafe context, let ssl = unsafe SSL_new(context) else { return nil }
        let handshake = TLSHandshake(plan)
        let stream = unsafe TLSStream(owning: ssl, socket: socket, clientHandshake: handshake)
        // The stream retains the handshake, and frees the `SSL` before it releases the handshake.
        guard unsafe assign(handshake, to: ssl), unsafe SSL_set_fd(ssl, socket) == 1,
            unsafe SSL_set_alpn_protos(ssl, offeredProtocols, UInt32(offeredProtocols.count)) == 0,
            unsafe handshake.prepare(ssl)
        else { return nil }
        unsafe SSL_set_connect_state(ssl)
        return stream
    }

    private static let dataIndex = CLWS_SSL_new_data_index(nil)

    /// Makes the handshake available to the callbacks of an `SSL`, which does not retain it.
    @unsafe private static func assign(_ handshake: TLSHandshake, to ssl: OpaquePointer) -> Bool {
        unsafe SSL_set_ex_data(ssl, dataIndex, Unmanaged.passUnretained(handshake).toOpaque()) == 1
    }

    /// Sets up an `SSL` that lws has made of ``context``, at the beginning of its handshake. The caller keeps the
    /// handshake as long as the `SSL` lives. Returns `nil` if an option cannot be set. In that case, no certificate is
    /// trusted.
    @unsafe package static func begin(_ plan: LoadedTLSPlan, on ssl: OpaquePointer) -> TLSHandshake? {
        let handshake = TLSHandshake(plan)
        return unsafe handshake.prepare(ssl) && assign(handshake, to: ssl) ? handshake : nil
    }

    fileprivate static func handshake(of ssl: OpaquePointer) -> TLSHandshake? {
        guard let data = unsafe SSL_get_ex_data(ssl, dataIndex) else { return nil }
        // Set by `stream`. The stream lives while it calls OpenSSL, which runs the callbacks.
        return unsafe Unmanaged<TLSHandshake>.fromOpaque(data).takeUnretainedValue()
    }
}

/// A ``TLSPlan`` with the content of its files.
package struct LoadedTLSPlan: Sendable {
    fileprivate let plan: TLSPlan
    /// The trusted certificates, or `nil` if every certificate is trusted.
    fileprivate let trust: TrustStore?
    fileprivate let identity: LoadedIdentity?

    /// Reads the files, and blocks until they are read.
    init(_ plan: TLSPlan) throws(SocketError) {
        self.plan = plan
        trust = plan.configuration.isInsecure ? nil : try TrustStore.store(for: plan.configuration.trust)
        identity = try plan.configuration.identity.map { (identity) throws(SocketError) in
            try LoadedIdentity(identity)
        }
    }
}

/// A client's TLS handshake, for one service thread. It sets up an `SSL` before its handshake. If the handshake fails,
/// it keeps the cause, because OpenSSL reports the same error for all causes.
package final class TLSHandshake {
    private let loaded: LoadedTLSPlan
    private var isComplete = false
    private var verdict: CertificateVerdict?
    private var alert: String?
    private var libraryError: String?

    fileprivate init(_ loaded: LoadedTLSPlan) { self.loaded = loaded }

    private var isInsecure: Bool { loaded.trust == nil }

    /// The TLS error of a connection that ended before the opening handshake was done, or `nil` if TLS did not fail.
    package var failure: SocketError? {
        if let verdict { return verdict.error(for: loaded.plan.serverName) }
        if let alert {
            return SocketError(.tlsFailed, "The server ended the TLS handshake with the alert \"\(alert)\".")
        }
        if let libraryError { return SocketError(.tlsFailed, "The TLS handshake failed: \(libraryError).") }
        if isComplete { return nil }
        return SocketError(.tlsFailed, "The connection ended before the TLS handshake was done.")
    }

    /// Sets up an `SSL` that has not sent anything. Returns `false` if an option cannot be set.
    fileprivate func prepare(_ ssl: OpaquePointer) -> Bool {
        unsafe SSL_set_verify(ssl, SSL_VERIFY_PEER, Self.verifyCallback)
        return unsafe setServerName(on: ssl) && setTrust(on: ssl) && setIdentity(on: ssl)
    }

    private func setServerName(on ssl: OpaquePointer) -> Bool {
        guard let parameters = unsafe SSL_get0_param(ssl) else { return false }
        // The common name is ignored (RFC 9525 §6.3), so a certificate without alternative names matches no server.
        let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(flags))
        switch loaded.plan.serverName {
        case .name(let name):
            return unsafe CLWS_SSL_set_server_name(ssl, name) == 1
                && (isInsecure || X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1)
        // An address is never sent as SNI (RFC 6066 §3). lws may have set one.
        case .ipv4(let address), .ipv6(let address, _):
            unsafe CLWS_SSL_set_server_name(ssl, nil)
            return unsafe isInsecure || X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1
        }
    }

    private func setTrust(on ssl: OpaquePointer) -> Bool {
        let minimum = loaded.plan.configuration.minimumVersion.number
        guard unsafe CLWS_SSL_set_minimum_version(ssl, minimum) == 1 else { return false }
        guard let trust = loaded.trust else { return true }
        return unsafe CLWS_SSL_set_trust_store(ssl, trust.pointer) == 1
    }

    private func setIdentity(on ssl: OpaquePointer) -> Bool {
        guard let identity = loaded.identity else { return true }
        guard unsafe SSL_use_certificate(ssl, identity.certificate.pointer) == 1,
            unsafe SSL_use_PrivateKey(ssl, identity.privateKey.pointer) == 1
        else { return false }
        return identity.intermediates.allSatisfy { unsafe CLWS_SSL_add_chain_certificate(ssl, $0.pointer) == 1 }
    }

    // MARK: For OpenSSL

    /// The callback for each certificate of the chain, and for each fault. Returns whether the certificate is accepted.
    private static let verifyCallback: @convention(c) (Int32, OpaquePointer?) -> Int32 = { isFaultless, context in
        guard let context = unsafe context,
            let ssl = unsafe X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let handshake = unsafe TLSClient.handshake(of: OpaquePointer(ssl))
        else { return 0 }
        guard isFaultless == 1 || handshake.isInsecure else {
            let verdict = unsafe CertificateVerdict(
                code: X509_STORE_CTX_get_error(context), depth: X509_STORE_CTX_get_error_depth(context))
            handshake.verdict = handshake.verdict ?? verdict
            return 0
        }
        // Otherwise, an accepted connection would keep the fault as its result.
        unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
        return 1
    }

    fileprivate static let informationCallback: @convention(c) (OpaquePointer?, Int32, Int32) -> Void = {
        ssl, place, value in
        guard let ssl = unsafe ssl else { return }
        if place & SSL_CB_HANDSHAKE_START != 0, unsafe TLSClient.handshake(of: ssl) == nil {
            unsafe LWSContext.current?.handshakeBegins(on: ssl)
        }
        guard let handshake = unsafe TLSClient.handshake(of: ssl) else { return }
        if place & SSL_CB_HANDSHAKE_DONE != 0 { handshake.isComplete = true }
        if place & SSL_CB_ALERT != 0, place & SSL_CB_READ != 0, let text = unsafe SSL_alert_desc_string_long(value),
            value >> 8 == SSL3_AL_FATAL
        {
            handshake.alert = unsafe handshake.alert ?? String(cString: text)
        }
        let code = ERR_peek_error()
        if place & SSL_CB_EXIT != 0, value <= 0, code != 0 {
            handshake.libraryError = handshake.libraryError ?? openSSLText(code)
        }
    }
}

extension LWSContext {
    /// Sets up an `SSL` of lws at the beginning of its handshake.
    @unsafe fileprivate func handshakeBegins(on ssl: OpaquePointer) {
        guard let index = tlsOpenings.firstIndex(where: { unsafe $0.ssl == ssl }) else { return }
        unsafe tlsOpenings.remove(at: index).handshakeBegins(on: ssl)
    }
}

/// The reason why a server's certificate was not accepted.
struct CertificateVerdict: Sendable, Hashable {
    /// OpenSSL's code: `X509_V_ERR_…`.
    let code: Int32
    /// The position in the chain: 0 for the server's own certificate, 1 or more for the certificates above it.
    let depth: Int32

    var errorCode: SocketError.Code {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
        case X509_V_ERR_CERT_NOT_YET_VALID: .certificateNotYetValid
        case X509_V_ERR_CERT_REVOKED: .certificateRevoked
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .certificateWrongHost
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .certificateSelfSigned
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
            X509_V_ERR_CERT_UNTRUSTED:
            .certificateUnknownIssuer
        default: .certificateRejected
        }
    }

    func error(for serverName: URLHost) -> SocketError {
        let text = unsafe X509_verify_cert_error_string(Int(code)).map { unsafe String(cString: $0) } ?? "error \(code)"
        let place = depth > 0 ? " (certificate \(depth) above the server's)" : ""
        return SocketError(
            errorCode, "Could not verify the certificate of \(serverName.lookUpName): \(text)\(place).", advice: advice)
    }

    private var advice: String? {
        switch errorCode {
        case .certificateUnknownIssuer, .certificateSelfSigned: "To trust it, set TLSConfiguration.trust."
        case .certificateWrongHost: "Check the URL, or set TLSConfiguration.serverName."
        case .certificateNotYetValid: "Check the clock of this machine."
        default: nil
        }
    }
}
