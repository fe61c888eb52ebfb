// swift-jsonrpc · SPDX-License-Identifier: MIT

public import Dispatch

/// Where a proxy calls completion handlers.
public struct CompletionQueue: Sendable {
    private let submit: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter submit: has the function it gets called once, some time.
    public init(_ submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.submit = submit }

    /// On any thread, also before the method returns when its call fails at once.
    public static let anywhere = CompletionQueue { $0() }

    /// On a queue.
    public static func queue(_ queue: DispatchQueue) -> CompletionQueue {
        CompletionQueue { completion in queue.async { completion() } }
    }

    /// On the main queue, which a program has to run: by `dispatchMain()` or a run loop.
    public static var main: CompletionQueue { .queue(.main) }

    /// Makes a call and gives its outcome to the handler. Expansions call it.
    ///
    /// The call is begun before this returns, so that calls go out in the order in which they are made.
    ///
    /// - Returns: the call: cancelling it gives the handler a `CancellationError`.
    @discardableResult
    public func perform<Value: Sendable>(
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
        _ call: @escaping @Sendable () async throws -> Value
    ) -> Task<Void, Never> {
        let operation: @Sendable () async -> Void = {
            let result: Result<Value, any Error>
            do {
                result = .success(try await call())
            } catch {
                result = .failure(error)
            }
            submit { completion(result) }
        }
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            // Where there is no way to begin a task at once, order is the scheduler's.
            return Task { await operation() }
        }
        return Task.immediate { await operation() }
    }
}
