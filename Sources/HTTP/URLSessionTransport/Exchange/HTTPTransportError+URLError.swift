// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import HTTPRequests

extension HTTPTransportError {
    init(urlSessionError error: any Error) {
        let reason = (error as NSError).localizedDescription
        guard let code = (error as? URLError)?.code else {
            self.init(.connectionLost, "The exchange failed: \(reason).", underlying: error)
            return
        }
        switch code {
        case .timedOut: self.init(.timedOut, "The connection timed out: \(reason).", underlying: error)
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost:
            self.init(.cannotConnect, "Could not connect: \(reason).", isRequestUnsent: true, underlying: error)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self.init(secureConnectionFailed: error, reason)
        // The session has no codes for most errors of libcurl. Errors of the handshake name SSL, and later errors
        // name the functions SSL_read and SSL_write.
        case _ where reason.contains("SSL") && !reason.contains("SSL_read") && !reason.contains("SSL_write"):
            self.init(secureConnectionFailed: error, reason)
        case .badURL:
            self.init(.invalidRequest, "The request's URL is not valid.", isRequestUnsent: true, underlying: error)
        // The session only gets `http` and `https`, so this means that the server answered with HTTP/0.9.
        case .unsupportedURL, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            self.init(
                .protocolViolation, "The server sent something that is not HTTP: \(reason).", underlying: error)
        case .cancelled: self.init(.closed, "The transport was shut down.", underlying: error)
        default: self.init(.connectionLost, "The connection was lost: \(reason).", underlying: error)
        }
    }

    private init(secureConnectionFailed error: any Error, _ reason: String) {
        self.init(
            .secureConnectionFailed, "The TLS handshake failed: \(reason).", isRequestUnsent: true,
            underlying: error)
    }
}
