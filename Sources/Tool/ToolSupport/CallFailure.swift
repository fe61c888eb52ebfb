// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore

/// The reason why a call has no result, in the terms of the command line.
package struct CallFailure: Error, Equatable {
    /// The kind of failure. The raw value is the `kind` in the output of `batch`.
    package enum Kind: String, Sendable, CaseIterable {
        case errorObject = "error"
        case couldNotConnect = "connect"
        /// The HTTP status is not 2xx, and the body is not a JSON-RPC response.
        case status
        case timeout
        case lost
        case protocolViolation = "protocol"
        case cancelled
        /// The message cannot be sent: it is too large, or not a request.
        case invalid

        /// The exit status, the title in reports of `bench`, and whether the peer has answered the call.
        private var properties: (status: CommandStatus, title: String, isAnswered: Bool) {
            switch self {
            case .errorObject: (.errorObject, "error object", true)
            case .couldNotConnect: (.couldNotConnect, "could not connect", false)
            case .status: (.couldNotConnect, "HTTP status", true)
            case .timeout: (.timeout, "timeout", false)
            case .lost: (.connectionLost, "connection lost", false)
            case .protocolViolation: (.protocolViolation, "protocol violation", true)
            case .cancelled: (.interrupted, "cancelled", false)
            case .invalid: (.usage, "invalid request", false)
            }
        }

        package var status: CommandStatus { properties.status }
        package var title: String { properties.title }
        package var isAnswered: Bool { properties.isAnswered }
    }

    package var kind: Kind
    /// Whether the peer may have seen the request.
    package var delivery: ClientError.Delivery
    /// The message for the user, on one line.
    package var message: String
    /// The error object of the peer if `kind` is ``Kind/errorObject``.
    package var errorObject: ErrorObject?
    /// Whether the same call may succeed later. It says nothing about safety: see ``delivery``.
    package var isRetryable: Bool

    package init(
        kind: Kind, delivery: ClientError.Delivery, message: String, errorObject: ErrorObject? = nil,
        isRetryable: Bool = false
    ) {
        (self.kind, self.delivery, self.message) = (kind, delivery, message)
        (self.errorObject, self.isRetryable) = (errorObject, isRetryable)
    }

    package var status: CommandStatus { kind.status }
}
