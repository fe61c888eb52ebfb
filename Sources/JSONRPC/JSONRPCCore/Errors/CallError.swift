// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The failure of a call's `Result`, so that the outcome of a call needs no cast.
///
/// ```swift
/// switch outcome {
/// case .success(let sum): print(sum)
/// case .failure(.answered(let error)): print("the server says", error.code, error.message)
/// case .failure(.failed(let error)): print(error, error.delivery == .notSent ? "safe to repeat" : "")
/// case .failure(.cancelled): break
/// }
/// ```
///
/// Functions that return a `Result` have this failure type. Functions that throw, such as `call`, throw the
/// ``underlying`` error instead.
// It is indirect, so that results, which are far more frequent than errors, are not as large as an error.
public indirect enum CallError: Error, Sendable {
    /// The peer answered with an error (JSON-RPC 2.0 §5.1).
    case answered(ErrorObject)
    /// The call failed on this side: the request was not sent, no answer arrived, or the answer could not be used.
    case failed(ClientError)
    /// The caller's task was cancelled before the answer arrived.
    case cancelled
}

extension CallError {
    /// Wraps an error that a call threw. An error of another package becomes a ``ClientError`` with the code
    /// ``ClientError/Code/transportFailed``.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - method: The method of the call. It is added to an error without a method.
    public init(_ error: any Error, method: String? = nil) {
        switch error {
        case let error as CallError: self = error
        case let error as ErrorObject: self = .answered(error)
        case let error as ClientError: self = .failed(error)
        case is CancellationError: self = .cancelled
        default:
            self = .failed(
                ClientError(
                    .transportFailed, "A transport or an interceptor threw an error.", cause: error, method: method,
                    delivery: .outcomeUnknown))
        }
        if let method { self = naming(method: method) }
    }

    /// Returns the error with the method of the call and the id of the request, unless it has them.
    package func naming(method: String, id: RequestID? = nil) -> CallError {
        switch self {
        case .answered(var error):
            if error.method == nil { error.method = method }
            return .answered(error)
        case .failed(var error):
            if error.requestID == nil { error.requestID = id }
            if error.method == nil { error.method = method }
            return .failed(error)
        case .cancelled: return self
        }
    }

    /// The error that a throwing function throws in this case: an `ErrorObject`, a `ClientError` or a
    /// `CancellationError`.
    public var underlying: any Error {
        switch self {
        case .answered(let error): error
        case .failed(let error): error
        case .cancelled: CancellationError()
        }
    }

    /// The peer's error, if the peer answered with one.
    public var errorObject: ErrorObject? {
        if case .answered(let error) = self { error } else { nil }
    }

    /// The error of this side, if the call failed here.
    public var clientError: ClientError? {
        if case .failed(let error) = self { error } else { nil }
    }

    /// Whether the same call may succeed later: see ``ClientError/isRetryable``. It is `false` for a peer's error and
    /// for a cancelled call.
    public var isRetryable: Bool { clientError?.isRetryable ?? false }

    /// Whether the peer can have seen the request. It is ``ClientError/Delivery/outcomeUnknown`` for a cancelled call.
    public var delivery: ClientError.Delivery {
        switch self {
        case .answered: .answered
        case .failed(let error): error.delivery ?? .outcomeUnknown
        case .cancelled: .outcomeUnknown
        }
    }
}

extension CallError: Hashable {}

extension CallError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .answered(let error): "The peer answered with \(error)"
        case .failed(let error): error.description
        case .cancelled: "The call was cancelled."
        }
    }
}

/// The properties of an answer beside its responses, such as the head of an HTTP response. It is a class, so that
/// errors stay small.
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
}
