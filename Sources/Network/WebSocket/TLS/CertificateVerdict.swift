// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The reason why a server's certificate was not accepted.
struct CertificateVerdict: Sendable, Hashable {
    /// OpenSSL's code: `X509_V_ERR_…`.
    let code: Int32
    /// The place in the chain: 0 for the server's own certificate, 1 or more for the certificates above it.
    let depth: Int32

    var errorCode: WebSocketError.Code {
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

    func error(for serverName: ServerName) -> WebSocketError {
        let name =
            switch serverName {
            case .name(let name): name
            case .address(let address): address
            }
        let text = unsafe X509_verify_cert_error_string(Int(code)).map { unsafe String(cString: $0) } ?? "error \(code)"
        let place = depth > 0 ? " (certificate \(depth) above the server's)" : ""
        return WebSocketError(
            errorCode, "Could not verify the certificate of \(name): \(text)\(place).", advice: advice)
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
