// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A client, a session, or anything else that makes calls: ``JSONRPCClient``, ``DuplexSession``, ``TransportCaller``,
/// ``BatchingCaller``.
///
/// Calls may be made from any number of tasks at once; they are answered in any order. Requests are sent in the order
/// in which their calls begin.
///
/// | Kind of call | Throws | Returns a `Result` |
/// |---|---|---|
/// | a method by its name | `call("m", params: …)` | `result(of: "m", params: …, as: …)` |
/// | a request type | `call(request)` | `result(of: request)` |
/// | raw JSON | `callRaw("m", params: …)` | `rawResult(of: "m", params: …)` |
/// | a notification | `notify("m", params: …)` | `result(of: MethodNotification("m", params: …))` |
/// | several requests | `batch(a, b, c)` | `results(a, b, c)` |
/// | a list of requests | | `batch(requests)`, `batchStream(requests)` |
public protocol JSONRPCCaller: Sendable {
    /// The coder that turns params into JSON, and results into values. The default is WireJSON's.
    var coder: any MessageCoder { get }

    /// Makes a call with params and result as raw JSON.
    ///
    /// - Parameters:
    ///   - method: the method's name.
    ///   - params: an array or an object; `nil` for no params.
    ///   - timeout: the limit for the whole call, including the time it waits to be sent.
    ///   - options: extra members, and whether the call may be repeated.
    /// - Throws: the peer's `ErrorObject`; a `ClientError`; `CancellationError`, at once when the task is cancelled.
    func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON

    /// Sends a notification with params as raw JSON. Returns when it is in the outbox. Notifications get no reply, so
    /// success only means that the message was sent.
    ///
    /// - Throws: a `ClientError` if it cannot be sent; `CancellationError`.
    func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws

    /// Sends several calls and notifications as one array (JSON-RPC 2.0 §6), or as several arrays if one would exceed
    /// ``SessionConfiguration/batchLimits``. Answers count in whatever form they arrive: as one array, as several, or
    /// one by one.
    ///
    /// If the peer answers with one error that names no call, and no other batch is wholly unanswered, the error is
    /// that of every call in the batch. A call that the peer leaves out fails when the timeout is over.
    ///
    /// - Parameters:
    ///   - entries: the members, in the order in which they are sent.
    ///   - timeout: the limit for all of them together.
    /// - Returns: the outcomes in the order of the entries; `nil` for notifications.
    /// - Throws: `CancellationError`, and a `ClientError` for params that cannot be sent. All other failures are in the
    ///   outcomes.
    func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?]

    /// Sends entries as `batch(_:timeout:)` does, and hands over each outcome by itself. Returns when
    /// every call has ended. When the task is cancelled, calls without an answer end at once, and the others keep
    /// theirs.
    ///
    /// The default implementation hands over all outcomes at the end.
    ///
    /// - Parameters:
    ///   - entries: the members, in the order in which they are sent.
    ///   - timeout: the limit for all of them together.
    ///   - pace: when outcomes are handed over.
    ///   - eachOutcome: is called in the caller's task: once for each call, and for a notification if it could not be
    ///     sent.
    /// - Throws: the reason why the batch as a whole was not sent; then no outcome was handed over.
    func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws
}

/// When the outcomes of a batch are handed over.
public enum OutcomePace: Sendable, Hashable {
    /// Each as it arrives, in the order in which the calls end. The caller's task is woken each time.
    case asTheyCome
    /// All when the last has arrived, in the order of the entries, which costs less.
    case together
}

extension JSONRPCCaller {
    public var coder: any MessageCoder { .wireJSON }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        for (index, outcome) in try await batch(entries, timeout: timeout).enumerated() {
            if let outcome { eachOutcome(index, outcome) }
        }
    }

    /// Sends several calls and notifications as one array, with the configured timeout.
    ///
    /// - Throws: `CancellationError`, and a `ClientError` for params that cannot be sent.
    public func batch(_ entries: [BatchEntry]) async throws -> [Result<RawJSON, CallError>?] {
        try await batch(entries, timeout: .default)
    }
}
