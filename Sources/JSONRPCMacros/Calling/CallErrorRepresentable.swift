// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore

/// An error which the methods of a proxy can throw by `throws(E)`, and with which a service can answer.
///
/// ```swift
/// enum CalculatorError: CallErrorRepresentable {
///     case divisionByZero
///     case other(any Error)
///
///     init(callError: any Error) {
///         if let answered = callError as? ErrorObject, answered.code == 1 { self = .divisionByZero } else { self = .other(callError) }
///     }
///
///     var errorObject: ErrorObject {
///         switch self {
///         case .divisionByZero: ErrorObject(code: 1, message: "Division by zero")
///         case .other: ErrorObject(.internalError)
///         }
///     }
/// }
/// ```
public protocol CallErrorRepresentable: Error {
    /// Makes one of what a call threw: the peer's `ErrorObject`, a `ClientError` or a `CancellationError`.
    init(callError: any Error)

    /// What a service answers when a method throws the error.
    var errorObject: ErrorObject { get }
}
