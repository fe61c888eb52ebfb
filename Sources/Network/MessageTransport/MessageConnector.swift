// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A maker of connections. A client calls it for each new connection.
public protocol MessageConnector: Sendable {
    /// Makes a connection. If the task is cancelled, the attempt is cancelled.
    ///
    /// The receiver gets ``MessageReceiver/transportOpened(_:)`` before the function returns, and no calls if it
    /// throws.
    ///
    /// - Parameter receiver: Gets the messages and events of the connection.
    /// - Throws: The reason of the failure, if possible a ``ConnectError``; a `CancellationError`.
    func connect(receiver: any MessageReceiver) async throws
}

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
