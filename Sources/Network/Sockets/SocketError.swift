// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// A failure to connect a socket or to use TLS.
package struct SocketError: Error {
    /// The kind of failure. `WebSocketError.Code` has the same names.
    package enum Code: String, CaseIterable, Sendable {
        case invalidURL, invalidConfiguration, nameNotResolved, connectFailed, connectTimeout, tlsFailed
        case certificateExpired, certificateNotYetValid, certificateRevoked, certificateWrongHost
        case certificateUnknownIssuer, certificateSelfSigned, certificateRejected, unsupportedProxy, proxyFailed
    }

    package var code: Code
    /// One sentence that says what failed and why. Text from the peer is escaped.
    package var message: String
    /// A sentence that names a helpful option, or `nil` if there is none.
    package var advice: String?
    /// The `errno` of the failure, or `nil` if there is none.
    package var systemError: Int32?
    /// The status of the proxy's answer, or `nil` if there is none.
    package var proxyStatus: Int?
    /// Whether the same attempt may succeed later, or `nil` if the code and the numbers say so.
    package var isRetryable: Bool?

    init(
        _ code: Code, _ message: String, advice: String? = nil, systemError: Int32? = nil, proxyStatus: Int? = nil,
        isRetryable: Bool? = nil
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.systemError = systemError
        self.proxyStatus = proxyStatus
        self.isRetryable = isRetryable
    }

    /// Returns whether an attempt that failed with this `errno` may succeed later without a change on this side.
    package static func isPassing(_ code: Int32) -> Bool {
        switch code {
        // The server may not have started yet. A Unix domain socket may be created later.
        case ECONNREFUSED, ECONNRESET, ECONNABORTED, ENOENT, EPIPE: true
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ENETRESET, ENONET: true
        // This machine has exhausted a resource.
        case EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRINUSE: true
        default: false
        }
    }
}
