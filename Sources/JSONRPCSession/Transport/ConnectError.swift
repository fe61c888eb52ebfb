// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An error of a ``MessageConnector`` that says whether another attempt to connect may succeed.
///
/// `ClientError.isRetryable` of a failed connect has its value from here. Errors that do not conform are not retryable.
public protocol ConnectError: Error {
    /// Whether the same attempt may succeed later: `true` for a refused connection, `false` for a malformed URL.
    var isRetryable: Bool { get }
    /// The time for which the server asked clients to wait (RFC 9110 §10.2.3), if it did.
    var retryAfter: Duration? { get }
}

extension ConnectError {
    public var retryAfter: Duration? { nil }
}
