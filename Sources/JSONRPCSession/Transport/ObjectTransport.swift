// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore

/// A transport that takes requests and gives responses, and does the serialization in between on its own: it must see
/// the ids to match them, as over a connection that carries many calls at once.
///
/// A ``TransportCaller`` makes calls over it. A transport which only moves bytes is a ``DataTransport``.
public protocol ObjectTransport: Sendable {
    /// Sends a message and gives what answers it.
    ///
    /// It is called from any number of tasks at once. When its task is cancelled, which is also how a timeout is told,
    /// it must end soon.
    ///
    /// - Returns: the responses, in any order; none for notifications alone. One that is missing, or that answers
    ///   nothing, is looked after by who called.
    /// - Throws: what kept the message from being answered; `CancellationError`.
    func exchange(_ message: RequestMessage) async throws -> [ResponseObject]
}

/// A transport that moves bytes without looking at them, such as HTTP: who calls does the serialization.
///
/// A ``SerializingTransport`` makes an ``ObjectTransport`` of it.
public protocol DataTransport: Sendable {
    /// Sends one message and gives its answer.
    ///
    /// It is called from any number of tasks at once. When its task is cancelled, which is also how a timeout is told,
    /// it must end soon.
    ///
    /// - Parameters:
    ///   - message: a JSON object or array, in UTF-8.
    ///   - expectsResponse: false when the message holds notifications alone.
    /// - Returns: the answer's bytes; none where there is no answer.
    /// - Throws: what kept the message from being answered; `CancellationError`.
    func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8]
}

/// Writes requests as JSON and reads responses from JSON, for a transport that moves bytes.
public struct SerializingTransport<Base: DataTransport>: ObjectTransport {
    public let base: Base
    private let writer: EnvelopeWriter
    private let reader: AnswerReader

    /// Reads and writes for a transport. Of the configuration, `version`, `strictness` and `jsonLimits` count.
    public init(over base: Base, configuration: SessionConfiguration = SessionConfiguration()) {
        self.base = base
        writer = EnvelopeWriter(version: configuration.version.outbound)
        reader = AnswerReader(
            strictness: configuration.strictness, version: configuration.version.inbound,
            limits: configuration.jsonLimits)
    }

    /// - Throws: what the transport throws; a `ClientError` when the whole answer cannot be used.
    public func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        let expectsResponse = message.expectsResponse
        let answer = try await base.exchange(writer.bytes(of: message), expectsResponse: expectsResponse)
        return expectsResponse ? try reader.responses(in: answer) : []
    }
}

/// Sends messages by a caller: so what needs an ``ObjectTransport`` can use a client, a session, or whatever else makes
/// calls. The ids on the wire are the caller's own.
public struct CallerTransport: ObjectTransport {
    private let caller: any JSONRPCCaller
    private let timeout: CallTimeout

    /// Makes a transport of a caller. Its messages have no timeout unless one is given: who uses a transport has
    /// timeouts of its own.
    public init(over caller: any JSONRPCCaller, timeout: CallTimeout = .none) {
        self.caller = caller
        self.timeout = timeout
    }

    public func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        switch message {
        case .single(let request): try await exchange(request)
        case .batch(let requests): try await exchange(requests)
        }
    }

    private func exchange(_ request: RequestObject) async throws -> [ResponseObject] {
        let options = CallOptions(extraMembers: request.extraMembers)
        guard let id = request.id else {
            try await caller.notifyRaw(request.method, params: request.params, options: options)
            return []
        }
        do {
            let result = try await caller.callRaw(
                request.method, params: request.params, timeout: timeout, options: options)
            return [ResponseObject(id: id, outcome: .success(result))]
        } catch let error as ErrorObject {
            return [ResponseObject(id: id, outcome: .failure(.answered(error)))]
        }
    }

    private func exchange(_ requests: [RequestObject]) async throws -> [ResponseObject] {
        let entries = requests.map {
            BatchEntry(
                method: $0.method, params: $0.params, isNotification: $0.isNotification,
                options: CallOptions(extraMembers: $0.extraMembers))
        }
        var responses: [ResponseObject] = []
        var unsent: (any Error)?
        try await caller.batch(entries, timeout: timeout, pace: .together) { index, outcome in
            if let id = requests[index].id {
                responses.append(ResponseObject(id: id, outcome: outcome))
            } else if case .failure(let error) = outcome {
                unsent = error.underlying
            }
        }
        if responses.isEmpty, let unsent { throw unsent }
        return responses
    }
}
