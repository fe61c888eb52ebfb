// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Why one call failed: what a `Result` of a call holds, so that nothing needs to be cast.
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
/// Single calls throw what lies within: see ``underlying``.
public enum CallError: Error, Sendable {
    /// The peer answered with an error (JSON-RPC 2.0 §5.1).
    case answered(ErrorObject)
    /// The call failed on this side: it could not be sent, no answer came, or the answer could not be used.
    case failed(ClientError)
    /// The caller's task was cancelled, and the call had no answer yet.
    case cancelled
}

extension CallError {
    /// Takes an error that a call threw. An error that is none of this package's becomes a ``ClientError`` with the
    /// code ``ClientError/Code/transportFailed``.
    public init(_ error: any Error, method: String? = nil) {
        switch error {
        case let error as CallError: self = error
        case let error as ErrorObject: self = .answered(error)
        case let error as ClientError: self = .failed(error)
        case is CancellationError: self = .cancelled
        default:
            self = .failed(
                ClientError(
                    .transportFailed, "The call was not carried to its end.", cause: error, method: method,
                    delivery: .outcomeUnknown))
        }
    }

    /// The `ErrorObject`, the `ClientError`, or a `CancellationError`: what the call would have thrown alone.
    public var underlying: any Error {
        switch self {
        case .answered(let error): error
        case .failed(let error): error
        case .cancelled: CancellationError()
        }
    }

    /// What the peer answered, if it is that.
    public var errorObject: ErrorObject? {
        if case .answered(let error) = self { error } else { nil }
    }

    /// What failed on this side, if it is that.
    public var clientError: ClientError? {
        if case .failed(let error) = self { error } else { nil }
    }

    /// Whether the peer can have seen the request. Of a cancelled call nothing is known for certain.
    public var delivery: Delivery {
        switch self {
        case .answered: .answered
        case .failed(let error): error.delivery ?? .outcomeUnknown
        case .cancelled: .outcomeUnknown
        }
    }
}

extension CallError: Hashable {
    /// Two are equal when what lies within is.
    public static func == (left: CallError, right: CallError) -> Bool {
        switch (left, right) {
        case (.answered(let left), .answered(let right)): left == right
        case (.failed(let left), .failed(let right)): left == right
        case (.cancelled, .cancelled): true
        case (.answered, _), (.failed, _), (.cancelled, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .answered(let error): hasher.combine(error)
        case .failed(let error): hasher.combine(error)
        case .cancelled: hasher.combine(0)
        }
    }
}

extension CallError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .answered(let error): "The peer answered with \(error)"
        case .failed(let error): error.description
        case .cancelled: "The call was cancelled."
        }
    }
}
