// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A caller over an ``ObjectTransport`` or a ``DataTransport``. Requests, batches and proxies work over it as over a
/// client.
///
/// It uses these properties of the configuration: `coder`, `strictness`, `version`, `jsonLimits` and `clock`, and in
/// `calls`: `timeout`, `batchLimits`, `idGenerator`, `extraMembers` and `interceptors`. A batch beyond the limits is
/// sent as several arrays, one after the other. The number of calls in flight is not limited.
public final class TransportCaller: JSONRPCCaller {
    /// The options of the calls.
    public let configuration: SessionConfiguration
    private let transport: any ObjectTransport
    private let ids: SharedIDs
    package let clock: any SessionClock
    private let matching: ResponseMatching

    /// Makes a caller over a transport that takes requests.
    public init(over transport: some ObjectTransport, configuration: SessionConfiguration = SessionConfiguration()) {
        self.transport = transport
        self.configuration = configuration
        ids = SharedIDs(configuration.calls.idGenerator)
        clock = anchored(configuration.clock)
        matching = ResponseMatching(strictness: configuration.strictness)
    }

    /// Makes a caller over a transport that takes bytes. A transport that also takes requests is used for requests.
    @_disfavoredOverload
    public convenience init(
        over transport: some DataTransport, configuration: SessionConfiguration = SessionConfiguration()
    ) {
        self.init(
            over: SerializingTransport(over: transport, configuration: configuration), configuration: configuration)
    }

    public var coder: any MessageCoder { configuration.coder }

    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try await intercept(call: OutboundCall(method: method, params: params, timeout: timeout, options: options))
    }

    /// Sends a notification with params as raw JSON. It returns when the transport has sent the notification.
    ///
    /// - Throws: The transport's error; a `ClientError` with the code `timedOut` after the configured timeout; a
    ///   `CancellationError`.
    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try await intercept(
            notification: OutboundCall(method: method, params: params, timeout: .default, options: options))
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await collectedOutcomes(of: entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try Task.checkCancellation()
        try await intercept(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }
}

// The part of a call after the interceptors.
extension TransportCaller: PlainSender {
    package var interceptors: [any CallInterceptor] { configuration.calls.interceptors }

    package func send(call: OutboundCall) async throws -> RawJSON {
        let request = try request(call.method, call.params, call.options, isNotification: false)
        let deadline = deadline(call.timeout)
        switch await outcomes(of: .single(request), by: deadline)[0] {
        case .success(let result): return result
        case .failure(let error): throw error.underlying
        case nil: throw ClientError.missingResponse(received: nil, delivery: .outcomeUnknown)
        }
    }

    package func send(notification: OutboundCall) async throws {
        let request = try request(
            notification.method, notification.params, notification.options, isNotification: true)
        let outcome = await outcomes(of: .single(request), by: deadline(.default))[0]
        if case .failure(let error) = outcome { throw error.underlying }
    }

    package func send(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        let requests = try entries.map {
            try request($0.method, $0.params, $0.options, isNotification: $0.isNotification)
        }
        let deadline = deadline(timeout)
        for array in configuration.calls.batchLimits.split(requests.map(Self.size)) {
            let outcomes = await outcomes(of: .batch(Array(requests[array])), by: deadline)
            for (index, outcome) in zip(array, outcomes) {
                if let outcome { eachOutcome(index, outcome) }
            }
        }
    }

    /// Returns the approximate bytes that a request takes in an array.
    private static func size(_ request: RequestObject) -> Int {
        96 + request.method.utf8.count + (request.params?.bytes.count ?? 0) + request.extraMembers.bytes.count
    }

    private func request(
        _ method: String, _ params: RawJSON?, _ options: CallOptions, isNotification: Bool
    ) throws -> RequestObject {
        try checkParams(params, method)
        return RequestObject(
            id: isNotification ? nil : ids.next(), method: method, params: params,
            extraMembers: configuration.calls.extraMembers.merging(options.extraMembers))
    }

    private func deadline(_ timeout: CallTimeout) -> SessionTime? {
        timeout.duration(configured: configuration.calls.timeout).map { clock.now.advanced(by: $0) }
    }

    /// Returns the outcome of each request; `nil` for a notification that was sent.
    private func outcomes(
        of message: RequestMessage, by deadline: SessionTime?
    ) async -> [Result<RawJSON, CallError>?] {
        let requests = message.requests
        do {
            let responses = try await exchange(message, by: deadline)
            return matching.outcomes(for: requests, in: responses, received: nil)
        } catch {
            // In a cancelled task, a transport may throw an error other than `CancellationError`.
            let failure = Task.isCancelled ? .cancelled : CallError(error)
            return requests.map { .failure(failure.naming($0)) }
        }
    }

    private func exchange(_ message: RequestMessage, by deadline: SessionTime?) async throws -> [ResponseObject] {
        try Task.checkCancellation()
        if let deadline, deadline <= clock.now { throw ClientError.timedOut(.notSent) }
        let responses = try await clock.value(until: deadline) { [transport] in try await transport.exchange(message) }
        guard let responses else { throw ClientError.timedOut(.outcomeUnknown) }
        return responses
    }
}
