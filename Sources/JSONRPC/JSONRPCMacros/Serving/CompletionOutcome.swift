// swift-jsonrpc · SPDX-License-Identifier: MIT

extension ServiceRegistrar {
    /// Calls a method that takes a completion handler, and returns its first result. Expansions call it.
    ///
    /// - Throws: The failure that the method gives to its handler; `CancellationError` if the method releases the
    ///   handler without calling it, or if the task is cancelled.
    public static func outcome<Value: Sendable>(
        of method: (@escaping @Sendable (Result<Value, any Error>) -> Void) async -> Void
    ) async throws -> Value {
        let (results, continuation) = AsyncThrowingStream<Value, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(1))
        await method(handler(continuation))
        for try await value in results { return value }
        throw CancellationError()
    }

    private static func handler<Value: Sendable>(
        _ continuation: AsyncThrowingStream<Value, any Error>.Continuation
    ) -> @Sendable (Result<Value, any Error>) -> Void {
        let token = HandlerToken { continuation.finish() }
        return { result in withExtendedLifetime(token) { _ = continuation.yield(with: result) } }
    }

    /// Waits for the call of a method that may be isolated to an actor. Expansions call it, because one `await` before
    /// this call covers isolated and nonisolated methods.
    public static func begin<Value: Sendable>(_ value: Value) async {}
}

/// Calls a function when the completion handler that holds the token is released.
private final class HandlerToken: Sendable {
    private let released: @Sendable () -> Void

    init(_ released: @escaping @Sendable () -> Void) { self.released = released }

    deinit { released() }
}
