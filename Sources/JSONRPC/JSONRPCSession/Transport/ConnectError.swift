// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An error of a ``MessageConnector`` that says whether another attempt to connect may succeed.
///
/// It determines `ClientError.isRetryable` of a failed attempt to connect. Errors that do not conform are not
/// retryable.
public protocol ConnectError: Error {
    /// Whether the same attempt may succeed later. It is `true` for a refused connection, and `false` for a malformed
    /// URL.
    var isRetryable: Bool { get }
    /// The time that the server asks clients to wait (RFC 9110 §10.2.3); `nil` if it does not ask. The default is
    /// `nil`.
    var retryAfter: Duration? { get }
}

extension ConnectError {
    public var retryAfter: Duration? { nil }
}
