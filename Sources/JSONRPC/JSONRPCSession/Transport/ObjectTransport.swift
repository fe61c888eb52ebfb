// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore

/// A transport that takes requests and returns responses, and does the serialization itself. It sees the ids, so it can
/// match responses over a connection that carries many calls at once.
///
/// A ``TransportCaller`` makes calls over it. A transport that only moves bytes is a ``DataTransport``.
///
/// `RequestMessage.bytes(version:)` writes a message. `ResponseObject(parsing:)` reads one response, and an
/// `AnswerReader` reads an answer that may be an array:
///
/// ```swift
/// struct Posting: ObjectTransport {
///     var post: @Sendable ([UInt8]) async throws -> [UInt8]
///
///     func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
///         try AnswerReader().responses(in: try await post(message.bytes()))
///     }
/// }
/// ```
public protocol ObjectTransport: Sendable {
    /// Sends a message and returns the responses to it.
    ///
    /// Any number of tasks call it concurrently. It must end soon when its task is cancelled, which also happens at a
    /// timeout.
    ///
    /// - Returns: The responses, in any order; none for notifications alone. The caller handles missing responses, and
    ///   responses to other requests.
    /// - Throws: The reason for the missing answer; a `CancellationError`.
    func exchange(_ message: RequestMessage) async throws -> [ResponseObject]
}

/// A transport that moves bytes and does not parse them, such as HTTP. The caller does the serialization.
///
/// A ``SerializingTransport`` makes an ``ObjectTransport`` from it.
public protocol DataTransport: Sendable {
    /// Sends one message and returns the answer to it.
    ///
    /// Any number of tasks call it concurrently. It must end soon when its task is cancelled, which also happens at a
    /// timeout.
    ///
    /// - Parameters:
    ///   - message: A JSON object or array, in UTF-8.
    ///   - expectsResponse: `false` if the message holds notifications alone.
    /// - Returns: The bytes of the answer; empty if there is no answer.
    /// - Throws: The reason for the missing answer; a `CancellationError`.
    func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8]
}

/// An object transport that writes requests as JSON and reads responses from JSON, over a transport that moves bytes.
public struct SerializingTransport<Base: DataTransport>: ObjectTransport {
    /// The transport that moves the bytes.
    public let base: Base
    private let writer: EnvelopeWriter
    private let reader: AnswerReader

    /// Makes an object transport from a data transport.
    ///
    /// - Parameters:
    ///   - base: The transport that moves the bytes.
    ///   - configuration: Its `version`, `strictness` and `jsonLimits` are used.
    public init(over base: Base, configuration: SessionConfiguration = SessionConfiguration()) {
        self.base = base
        writer = EnvelopeWriter(version: configuration.version.outbound)
        reader = AnswerReader(
            strictness: configuration.strictness, version: configuration.version.inbound,
            limits: configuration.jsonLimits)
    }

    /// Sends a message and returns the responses to it.
    ///
    /// - Throws: The transport's error; a `ClientError` if the answer as a whole cannot be used.
    public func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        let expectsResponse = message.expectsResponse
        let answer = try await base.exchange(writer.bytes(of: message), expectsResponse: expectsResponse)
        return expectsResponse ? try reader.responses(in: answer) : []
    }
}

/// An object transport over a caller, such as a client or a session. The ids on the wire are the caller's own.
public struct CallerTransport: ObjectTransport {
    private let caller: any JSONRPCCaller
    private let timeout: CallTimeout

    /// Makes a transport from a caller.
    ///
    /// - Parameters:
    ///   - caller: Makes the calls.
    ///   - timeout: The limit for each message. The default is none, because the user of a transport has its own
    ///     timeouts.
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
