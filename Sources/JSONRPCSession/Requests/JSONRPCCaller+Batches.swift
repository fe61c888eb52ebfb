// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import WireJSON

extension JSONRPCCaller {
    /// Sends requests of different types as one batch (JSON-RPC 2.0 §6), and gives the response to each.
    ///
    /// ```swift
    /// let (difference, count, _) = try await client.batch(
    ///     Subtract(minuend: 42, subtrahend: 23), CountCharacters(of: "abc"), Log("hi"))
    /// ```
    ///
    /// A notification's element is `Void`. To get the outcome of each request, use ``results(_:timeout:)``.
    ///
    /// - Parameters:
    ///   - requests: in the order in which they are sent.
    ///   - timeout: for all of them together.
    /// - Throws: what the first request that failed, in their order, would have thrown alone; all others have ended
    ///   then, too. `CancellationError` when the task was cancelled.
    public func batch<each Request: JSONRPCRequest>(
        _ requests: repeat each Request, timeout: CallTimeout = .default
    ) async throws -> (repeat (each Request).Response) {
        var plan = BatchPlan()
        for request in repeat each requests { plan.add(request, using: coder) }
        var outcomes = try await carryOut(plan, timeout: timeout).outcomes().makeIterator()
        func response<R: JSONRPCRequest>(_ request: R) throws -> R.Response {
            switch request.outcome(of: outcomes.next() ?? nil, using: coder) {
            case .success(let response): return response
            case .failure(let error): throw error.underlying
            }
        }
        return (repeat try response(each requests))
    }

    /// Sends requests of different types as one batch (JSON-RPC 2.0 §6), and gives the outcome of each.
    ///
    /// What one fails of harms no other: also a request that could not be encoded leaves the others to be sent. When
    /// the task is cancelled, calls that have an answer keep it.
    ///
    /// - Parameters:
    ///   - requests: in the order in which they are sent.
    ///   - timeout: for all of them together.
    /// - Throws: `CancellationError`, when the task was cancelled before anything was sent; nothing else.
    public func results<each Request: JSONRPCRequest>(
        _ requests: repeat each Request, timeout: CallTimeout = .default
    ) async throws -> (repeat Result<(each Request).Response, CallError>) {
        var plan = BatchPlan()
        for request in repeat each requests { plan.add(request, using: coder) }
        var outcomes = try await carryOut(plan, timeout: timeout).outcomes().makeIterator()
        func result<R: JSONRPCRequest>(_ request: R) -> Result<R.Response, CallError> {
            request.outcome(of: outcomes.next() ?? nil, using: coder)
        }
        return (repeat result(each requests))
    }

    /// Sends any number of requests of one type as one batch (JSON-RPC 2.0 §6), and gives the outcome of each, in their
    /// order.
    ///
    /// The batch is divided where it exceeds ``SessionConfiguration/batchLimits``. What one request fails of harms no
    /// other, and when the task is cancelled, calls that have an answer keep it.
    ///
    /// - Parameters:
    ///   - requests: in the order in which they are sent.
    ///   - timeout: for all of them together.
    /// - Throws: `CancellationError`, when the task was cancelled before anything was sent; nothing else.
    public func batch<Request: JSONRPCRequest>(
        _ requests: [Request], timeout: CallTimeout = .default
    ) async throws -> [Result<Request.Response, CallError>] {
        let plan = try await carryOut(BatchPlan(requests, using: coder), timeout: timeout)
        return Request.outcomes(of: requests, came: plan.outcomes(), using: coder)
    }

    /// Sends a list of requests of any types as one batch, and gives the outcome of each, in their order. What they
    /// give comes as `any Sendable`, to be cast.
    ///
    /// - Parameters:
    ///   - requests: in the order in which they are sent.
    ///   - timeout: for all of them together.
    /// - Throws: `CancellationError`, when the task was cancelled before anything was sent; nothing else.
    public func batch(
        mixed requests: [any JSONRPCRequest], timeout: CallTimeout = .default
    ) async throws -> [Result<any Sendable, CallError>] {
        var plan = BatchPlan()
        for request in requests { plan.add(request, using: coder) }
        plan = try await carryOut(plan, timeout: timeout)
        return zip(requests, plan.outcomes()).map { $0.erasedOutcome(of: $1, using: coder) }
    }

    /// Sends any number of requests of one type as one batch, and gives the outcome of each as it comes.
    ///
    /// ```swift
    /// for await (index, result) in client.batchStream(requests) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - requests: in the order in which they are sent.
    ///   - timeout: for all of them together.
    public func batchStream<Request: JSONRPCRequest>(
        _ requests: [Request], timeout: CallTimeout = .default
    ) -> BatchStream<Request> {
        BatchStream(requests, over: self, timeout: timeout)
    }
}
