// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The reason why a call has no result, in the terms of the command line.
///
/// `CallFailure+Library.swift` translates the errors of the library.
struct CallFailure: Error, Equatable {
    /// The kind of failure. The raw value is the `kind` in the output of `batch`.
    enum Kind: String, Sendable, CaseIterable {
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
    }

    /// Whether the peer may have seen the request. The raw value is the `delivery` in the output of `batch`.
    enum Delivery: String, Sendable {
        /// The peer has not seen it, so a retry is safe.
        case notSent = "not_sent"
        case outcomeUnknown = "outcome_unknown"
        case answered
    }

    var kind: Kind
    var delivery: Delivery
    /// The message for the user, on one line.
    var message: String
    /// The error object of the peer if `kind` is ``Kind/errorObject``.
    var errorObject: ErrorObject?
    /// Whether the same call may succeed later. It says nothing about safety: see ``delivery``.
    var isRetryable = false

    var status: CommandStatus {
        switch kind {
        case .errorObject: .errorObject
        case .couldNotConnect, .status: .couldNotConnect
        case .timeout: .timeout
        case .lost: .connectionLost
        case .protocolViolation: .protocolViolation
        case .cancelled: .interrupted
        case .invalid: .usage
        }
    }
}
