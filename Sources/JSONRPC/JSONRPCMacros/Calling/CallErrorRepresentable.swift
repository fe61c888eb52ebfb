// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore

/// An error type for methods with `throws(E)`. A proxy creates it from the error of a call, and a service answers with
/// it.
///
/// ```swift
/// enum CalculatorError: CallErrorRepresentable {
///     case divisionByZero
///     case other(any Error)
///
///     init(callError: any Error) {
///         if let answer = callError as? ErrorObject, answer.code == 1 {
///             self = .divisionByZero
///         } else {
///             self = .other(callError)
///         }
///     }
///
///     var errorObject: ErrorObject {
///         switch self {
///         case .divisionByZero: ErrorObject(code: 1, message: "Division by zero")
///         case .other: ErrorObject(.internalError)
///         }
///     }
/// }
///
/// @JSONRPCProxy
/// protocol Calculator {
///     func divide(_ a: Int, by b: Int) async throws(CalculatorError) -> Int
/// }
/// ```
public protocol CallErrorRepresentable: Error {
    /// Creates the error from the error of a call: the peer's `ErrorObject`, a `ClientError` or a `CancellationError`.
    init(callError: any Error)

    /// The answer of a service when a method throws the error.
    var errorObject: ErrorObject { get }
}
