// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Why a call has no result, in the command line's own terms. The library's errors are translated into it in one
/// place, `CallFailure+Library.swift`.
struct CallFailure: Error, Equatable {
    /// What went wrong; the raw value is the `kind` in a batch's output.
    enum Kind: String, Sendable, CaseIterable {
        /// The peer answered with an error object.
        case errorObject = "error"
        case couldNotConnect = "connect"
        case timeout
        case lost
        case protocolViolation = "protocol"
        case cancelled
        /// What was to be sent cannot be sent: it is too large, or is no request.
        case invalid
    }

    /// Whether the peer can have seen the request.
    enum Delivery: String, Sendable {
        /// It has not: repeating the call is safe.
        case notSent = "not_sent"
        case outcomeUnknown = "outcome_unknown"
        case answered
    }

    var kind: Kind
    var delivery: Delivery
    /// One sentence.
    var message: String
    /// The peer's answer, when `kind` is ``Kind/errorObject``.
    var errorObject: ErrorObject?

    var status: CommandStatus {
        switch kind {
        case .errorObject: .errorObject
        case .couldNotConnect: .couldNotConnect
        case .timeout: .timeout
        case .lost: .connectionLost
        case .protocolViolation: .protocolViolation
        case .cancelled: .interrupted
        case .invalid: .usage
        }
    }
}
