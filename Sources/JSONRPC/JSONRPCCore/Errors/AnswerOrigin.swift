// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The properties of an answer beside its responses, such as the head of an HTTP response. It is a class, so that errors
/// stay small.
package protocol AnswerOrigin: AnyObject, Sendable {}

extension CallError {
    /// Returns the error with the origin of the answer that caused it, unless it has an origin.
    package func coming(from origin: any AnswerOrigin) -> CallError {
        switch self {
        case .answered(var error):
            if error.origin == nil { error.origin = origin }
            return .answered(error)
        case .failed(var error):
            if error.origin == nil { error.origin = origin }
            return .failed(error)
        case .cancelled: return self
        }
    }

    /// The origin of the answer; `nil` if the transport gives none, or no answer arrived.
    package var origin: (any AnswerOrigin)? {
        switch self {
        case .answered(let error): error.origin
        case .failed(let error): error.origin
        case .cancelled: nil
        }
    }
}
