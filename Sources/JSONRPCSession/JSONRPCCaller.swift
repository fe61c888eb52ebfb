// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// What can make calls: a ``JSONRPCClient`` and a ``DuplexSession``.
///
/// Calls may be made from any number of tasks at once; they are answered in any order. Requests go out in the order
/// in which their calls are begun.
public protocol JSONRPCCaller: Sendable {
    /// Turns params into JSON, and results into values.
    var coder: any MessageCoder { get }

    /// Makes a call whose params and result are JSON as it stands.
    ///
    /// - Parameters:
    ///   - method: the method's name.
    ///   - params: an array or an object; nil for none.
    ///   - timeout: how long it may take, waiting to be sent included.
    ///   - options: what else there is to say about the call.
    /// - Throws: the peer's `ErrorObject`; a `ClientError`; or, at once when the task is cancelled,
    ///   `CancellationError`.
    func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON

    /// Sends a notification whose params are JSON as it stands. Returns when it is in the outbox: nothing tells
    /// whether the peer gets it.
    ///
    /// - Throws: a `ClientError` when it cannot be sent, or `CancellationError`.
    func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws

    /// Sends several calls and notifications as one array (JSON-RPC 2.0 §6), or as several where one would exceed
    /// ``SessionConfiguration/batchLimits``. Answers count in whatever form they come: as one array, as several, or
    /// one by one.
    ///
    /// When the peer answers with one error that names no call, and no other batch is wholly unanswered, the error is
    /// that of every call in the batch. A call that the peer leaves out fails when the time is over.
    ///
    /// - Parameters:
    ///   - entries: the members, in the order in which they are sent.
    ///   - timeout: for all of them together.
    /// - Returns: the outcomes in the order of the entries; nil for notifications.
    /// - Throws: `CancellationError`, and a `ClientError` for params that cannot be sent. Everything else is in the
    ///   outcomes.
    func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, any Error>?]

    /// Sends entries as ``batch(_:timeout:)`` does, and gives each outcome as it comes. Returns when every call has
    /// ended; when the task is cancelled, calls without an answer end at once, and those with one keep it.
    ///
    /// Who implements the protocol need not implement this: then all outcomes are given at the end.
    ///
    /// - Parameters:
    ///   - entries: the members, in the order in which they are sent.
    ///   - timeout: for all of them together.
    ///   - eachOutcome: is called in the caller's task: once for each call, in the order in which they end; and for a
    ///     notification when it could not be sent.
    /// - Throws: what kept the batch as a whole from being sent; then no outcome was given.
    func batch(
        _ entries: [BatchEntry], timeout: CallTimeout,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, any Error>) -> Void
    ) async throws
}

extension JSONRPCCaller {
    public var coder: any MessageCoder { .wireJSON }

    // MARK: Calls

    /// Makes a call without params.
    ///
    /// - Throws: the peer's `ErrorObject`; a `ClientError`; or, at once when the task is cancelled,
    ///   `CancellationError`.
    public func call<R: Decodable & Sendable>(
        _ method: String, as type: R.Type = R.self, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async throws -> R {
        try decode(try await callRaw(method, params: nil, timeout: timeout, options: options), as: type, method)
    }

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - method: the method's name.
    ///   - params: encoded in the caller's task, as a JSON array or object.
    ///   - type: what the result is decoded as.
    ///   - timeout: how long it may take, waiting to be sent included.
    ///   - options: what else there is to say about the call.
    /// - Throws: the peer's `ErrorObject`; a `ClientError`; or, at once when the task is cancelled,
    ///   `CancellationError`.
    public func call<P: Encodable & Sendable, R: Decodable & Sendable>(
        _ method: String, params: P, as type: R.Type = R.self, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async throws -> R {
        let params = try encode(params, method)
        return try decode(
            try await callRaw(method, params: params, timeout: timeout, options: options), as: type, method)
    }

    /// Makes a call whose params and result are JSON as it stands.
    ///
    /// - Throws: the peer's `ErrorObject`; a `ClientError`; or, at once when the task is cancelled,
    ///   `CancellationError`.
    public func callRaw(
        _ method: String, params: RawJSON? = nil, timeout: CallTimeout = .default
    ) async throws -> RawJSON {
        try await callRaw(method, params: params, timeout: timeout, options: CallOptions())
    }

    // MARK: Notifications

    /// Sends a notification without params.
    ///
    /// - Throws: a `ClientError` when it cannot be sent, or `CancellationError`.
    public func notify(_ method: String, options: CallOptions = CallOptions()) async throws {
        try await notifyRaw(method, params: nil, options: options)
    }

    /// Sends a notification.
    ///
    /// - Throws: a `ClientError` when it cannot be sent, or `CancellationError`.
    public func notify<P: Encodable & Sendable>(
        _ method: String, params: P, options: CallOptions = CallOptions()
    ) async throws {
        try await notifyRaw(method, params: try encode(params, method), options: options)
    }

    // MARK: Batches

    /// Sends several calls and notifications as one array, with the configured timeout.
    ///
    /// - Throws: `CancellationError`, and a `ClientError` for params that cannot be sent.
    public func batch(_ entries: [BatchEntry]) async throws -> [Result<RawJSON, any Error>?] {
        try await batch(entries, timeout: .default)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, any Error>) -> Void
    ) async throws {
        for (index, outcome) in try await batch(entries, timeout: timeout).enumerated() {
            if let outcome { eachOutcome(index, outcome) }
        }
    }

    // MARK: Coding

    private func encode(_ params: some Encodable, _ method: String) throws -> RawJSON {
        do {
            return try coder.encode(params)
        } catch {
            throw ClientError(
                .encodingFailed, "The params could not be encoded.", cause: error, method: method,
                delivery: .notSent)
        }
    }

    private func decode<R: Decodable>(_ result: RawJSON, as type: R.Type, _ method: String) throws -> R {
        do {
            return try coder.decode(type, from: result)
        } catch {
            throw ClientError(
                .decodingFailed, "The result is no \(R.self).", cause: error, method: method, delivery: .answered)
        }
    }
}
