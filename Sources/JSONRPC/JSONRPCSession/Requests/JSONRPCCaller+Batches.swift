// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
package import WireJSON

extension JSONRPCCaller {
    /// Sends requests of different types as one batch (JSON-RPC 2.0 §6), and returns the response to each.
    ///
    /// ```swift
    /// let (difference, count, _) = try await client.batch(
    ///     Subtract(minuend: 42, subtrahend: 23), CountCharacters(of: "abc"), Log("hi"))
    /// ```
    ///
    /// A notification's element is `Void`. To get the outcome of each request, use ``results(_:timeout:)``.
    ///
    /// - Parameters:
    ///   - requests: The requests, in the order in which they are sent.
    ///   - timeout: The limit for the whole batch. The default is ``SessionConfiguration/Calls/timeout``.
    /// - Returns: The responses, in the order of the requests.
    /// - Throws: The error of the first request that failed, in the order of the requests, after all requests have
    ///   ended; a `CancellationError` if the task was cancelled.
    public func batch<each Request: JSONRPCRequest>(
        _ requests: repeat each Request, timeout: CallTimeout = .default
    ) async throws -> (repeat (each Request).Response) {
        let results = try await results(repeat each requests, timeout: timeout)
        func response<Response>(of result: Result<Response, CallError>) throws -> Response {
            try result.mapError(\.underlying).get()
        }
        return (repeat try response(of: each results))
    }

    /// Sends requests of different types as one batch (JSON-RPC 2.0 §6), and returns the outcome of each.
    ///
    /// The failure of one request does not affect the others. If a request cannot be encoded, the others are sent. If
    /// the task is cancelled, calls with a response keep it.
    ///
    /// - Parameters:
    ///   - requests: The requests, in the order in which they are sent.
    ///   - timeout: The limit for the whole batch. The default is ``SessionConfiguration/Calls/timeout``.
    /// - Returns: The outcomes, in the order of the requests.
    /// - Throws: A `CancellationError` if the task was cancelled before anything was sent; no other errors.
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

    /// Sends any number of requests of one type as one batch (JSON-RPC 2.0 §6), and returns the outcome of each.
    ///
    /// The batch is divided if it exceeds ``SessionConfiguration/Calls/batchLimits``. The failure of one request does
    /// not affect the others. If the task is cancelled, calls with a response keep it.
    ///
    /// - Parameters:
    ///   - requests: The requests, in the order in which they are sent.
    ///   - timeout: The limit for the whole batch. The default is ``SessionConfiguration/Calls/timeout``.
    /// - Returns: The outcomes, in the order of the requests.
    /// - Throws: A `CancellationError` if the task was cancelled before anything was sent; no other errors.
    public func batch<Request: JSONRPCRequest>(
        _ requests: [Request], timeout: CallTimeout = .default
    ) async throws -> [Result<Request.Response, CallError>] {
        let plan = try await carryOut(BatchPlan(requests, using: coder), timeout: timeout)
        return Request.outcomes(of: requests, came: plan.outcomes(), using: coder)
    }

    /// Sends a list of requests of any types as one batch, and returns the outcome of each. Each response
    /// is an `any Sendable`, which you cast to its type.
    ///
    /// - Parameters:
    ///   - requests: The requests, in the order in which they are sent.
    ///   - timeout: The limit for the whole batch. The default is ``SessionConfiguration/Calls/timeout``.
    /// - Returns: The outcomes, in the order of the requests.
    /// - Throws: A `CancellationError` if the task was cancelled before anything was sent; no other errors.
    public func batch(
        mixed requests: [any JSONRPCRequest], timeout: CallTimeout = .default
    ) async throws -> [Result<any Sendable, CallError>] {
        var plan = BatchPlan()
        for request in requests { plan.add(request, using: coder) }
        plan = try await carryOut(plan, timeout: timeout)
        return zip(requests, plan.outcomes()).map { $0.erasedOutcome(of: $1, using: coder) }
    }
}

extension JSONRPCCaller {
    /// Sends a batch with ``JSONRPCCaller/batch(_:timeout:pace:eachOutcome:)``, and returns the outcomes in the order
    /// of the entries; `nil` for notifications.
    ///
    /// - Throws: A `CancellationError` if the task was cancelled before the end; the first error of a batch of
    ///   notifications, because they have no outcomes; the reason why the batch was not sent.
    package func collectedOutcomes(
        of entries: [BatchEntry], timeout: CallTimeout
    ) async throws -> [Result<RawJSON, CallError>?] {
        var outcomes = [Result<RawJSON, CallError>?](repeating: nil, count: entries.count)
        try await batch(entries, timeout: timeout, pace: .together) { outcomes[$0] = $1 }
        for case .failure(.cancelled)? in outcomes where Task.isCancelled { throw CancellationError() }
        guard entries.allSatisfy(\.isNotification) else {
            return zip(entries, outcomes).map { $0.isNotification ? nil : $1 }
        }
        for case .failure(let error)? in outcomes { throw error.underlying }
        return outcomes
    }
}
