// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A type that makes calls: ``JSONRPCClient``, ``DuplexSession``, ``TransportCaller``, ``BatchingCaller``, or the
/// `JSONRPCHTTPClient` of `JSONRPCHTTP`.
///
/// Any number of tasks can make calls concurrently. Requests are sent in the order in which their calls begin.
/// Responses can arrive in any order.
///
/// | Kind of call | Throws | Returns a `Result` |
/// |---|---|---|
/// | a method by its name | `call("m", params: …)` | `result(of: "m", params: …, as: …)` |
/// | a request type | `call(request)` | `result(of: request)` |
/// | raw JSON | `callRaw("m", params: …)` | |
/// | a notification | `notify("m", params: …)` | `result(of: MethodNotification("m", params: …))` |
/// | several requests | `batch(a, b, c)` | `results(a, b, c)` |
/// | a list of requests | | `batch(requests)` |
/// | many calls, one by one | | `results(of: requests)` |
public protocol JSONRPCCaller: Sendable {
    /// The coder of params and results. The default is `WireJSONCoder`.
    var coder: any MessageCoder { get }

    /// Makes a call with params and result as raw JSON.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - params: An array or an object; `nil` for no params.
    ///   - timeout: The limit for the whole call, including the time it waits to be sent.
    ///   - options: Extra members, and whether the call may be repeated.
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError` as soon as the task is cancelled.
    func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON

    /// Makes a call with params as a value. A session encodes them directly into the message. The default
    /// implementation encodes them first, and calls ``callRaw(_:params:timeout:options:)``.
    func _callRaw<Params: Encodable & Sendable>(
        _ method: String, encoding params: Params, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON

    /// Sends a notification with params as raw JSON. It returns when the message is in the outbox. Notifications get no
    /// reply, so success only means that the message was queued for sending.
    ///
    /// - Throws: A `ClientError` if the notification cannot be sent; a `CancellationError`.
    func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws

    /// Sends several calls and notifications as one array (JSON-RPC 2.0 §6), or as several arrays if one would exceed
    /// ``SessionConfiguration/Calls/batchLimits``. Responses are accepted in one array, in several arrays, or one by
    /// one.
    ///
    /// If the peer answers with one error without an id, and no other batch is entirely unanswered, the error is the
    /// outcome of every call in the batch. A call without a response fails at the timeout.
    ///
    /// - Parameters:
    ///   - entries: The members, in the order in which they are sent.
    ///   - timeout: The limit for the whole batch.
    /// - Returns: The outcomes in the order of the entries; `nil` for notifications.
    /// - Throws: A `CancellationError`; a `ClientError` for params that cannot be sent. All other failures are in the
    ///   outcomes.
    func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?]

    /// Sends entries as `batch(_:timeout:)` does, and passes each outcome to a closure. It returns when every call has
    /// ended. If the task is cancelled, calls without a response end at once; the others keep their outcomes.
    ///
    /// The default implementation passes all outcomes at the end.
    ///
    /// - Parameters:
    ///   - entries: The members, in the order in which they are sent.
    ///   - timeout: The limit for the whole batch.
    ///   - pace: When outcomes are passed to the closure.
    ///   - eachOutcome: Gets the index of an entry and its outcome, in the caller's task. It is called once for each
    ///     call, and for each notification that could not be sent.
    /// - Throws: The reason why the batch as a whole was not sent. Then `eachOutcome` was not called.
    func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws
}

extension BatchEntry {
    /// The time at which a batch passes outcomes to its caller.
    public enum OutcomePace: Sendable, Hashable {
        /// Each outcome as it arrives, in the order in which the calls end. The caller's task is resumed for each
        /// outcome.
        case asTheyCome
        /// All outcomes when the last one has arrived, in the order of the entries. This costs less.
        case together
    }
}

extension JSONRPCCaller {
    public var coder: any MessageCoder { .wireJSON }

    public func _callRaw<Params: Encodable & Sendable>(
        _ method: String, encoding params: Params, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try await callRaw(method, params: try encode(params, method), timeout: timeout, options: options)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        for (index, outcome) in try await batch(entries, timeout: timeout).enumerated() {
            if let outcome { eachOutcome(index, outcome) }
        }
    }

    /// Sends several calls and notifications as one array, with the configured timeout.
    ///
    /// - Throws: A `CancellationError`; a `ClientError` for params that cannot be sent.
    public func batch(_ entries: [BatchEntry]) async throws -> [Result<RawJSON, CallError>?] {
        try await batch(entries, timeout: .default)
    }
}
