// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore

/// Returns the result or the error of an operation.
package func outcome<Value: Sendable>(
    _ operation: @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    do { return .success(try await operation()) } catch { return .failure(error) }
}

extension Result {
    /// The error; nil for a success.
    package var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension Result where Failure == CallError {
    /// The error; nil for a success.
    package var callError: CallError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
