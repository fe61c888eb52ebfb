// swift-jsonrpc · SPDX-License-Identifier: MIT

public import Dispatch
import TaskWaits

/// The queue on which a proxy calls completion handlers.
public struct CompletionQueue: Sendable {
    private let submit: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a queue.
    ///
    /// - Parameter submit: Calls the given function once, at any time.
    public init(_ submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.submit = submit }

    /// Any thread. A handler can be called before the method returns, if the call fails at once.
    public static let anywhere = CompletionQueue { $0() }

    /// Returns a dispatch queue as a completion queue.
    public static func queue(_ queue: DispatchQueue) -> CompletionQueue {
        CompletionQueue { completion in queue.async { completion() } }
    }

    /// The main queue. The program must run it, with `dispatchMain()` or a run loop.
    public static var main: CompletionQueue { .queue(.main) }

    /// Makes a call and passes its outcome to the handler. Expansions call it.
    ///
    /// The call begins before this function returns, so that calls are sent in the order in which they are made.
    ///
    /// - Returns: The task of the call. If it is cancelled, the handler gets a `CancellationError`.
    @discardableResult
    public func perform<Value: Sendable>(
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
        _ call: @escaping @Sendable () async throws -> Value
    ) -> Task<Void, Never> {
        Task.immediate {
            let result = await Result(of: call)
            submit { completion(result) }
        }
    }
}
