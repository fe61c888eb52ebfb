// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import JSONRPCSession
import WireJSON

/// Registers the methods of a service with an endpoint. Expansions call it.
public struct ServiceRegistrar: Sendable {
    private let endpoint: any JSONRPCEndpoint

    init(endpoint: any JSONRPCEndpoint) { self.endpoint = endpoint }

    /// Registers a method without parameters.
    ///
    /// - Parameters:
    ///   - name: The wire name of the method.
    ///   - unknownParams: The policy for params of this method. The default is ``UnknownParams/ignored``.
    ///   - coder: Encodes the result; `nil` for the endpoint's coder.
    ///   - body: Returns the result.
    public func method<Value: Encodable & Sendable>(
        _ name: String, unknownParams: UnknownParams = .ignored, coder: (any MessageCoder)? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) {
        register(name, coder: coder, body) { call, coder in
            guard unknownParams == .refused, let json = call.params else { return }
            _ = try coder.decode(Nothing.self, from: json)
        }
    }

    /// Registers a method whose parameters are single params.
    ///
    /// - Parameters:
    ///   - name: The wire name of the method.
    ///   - params: A type that a ``ParamsReader`` reads.
    ///   - coder: Decodes the params and encodes the result; `nil` for the endpoint's coder.
    ///   - body: Returns the result.
    public func method<Params: Decodable & Sendable, Value: Encodable & Sendable>(
        _ name: String, params: Params.Type, coder: (any MessageCoder)? = nil,
        _ body: @escaping @Sendable (Params) async throws -> Value
    ) {
        register(name, coder: coder, body) { call, coder in
            try coder.decode(Params.self, from: call.params ?? Self.noParams)
        }
    }

    /// Registers a method whose only parameter is the params as a whole.
    ///
    /// - Parameters:
    ///   - name: The wire name of the method.
    ///   - whole: The type of the params.
    ///   - coder: Decodes the params and encodes the result; `nil` for the endpoint's coder.
    ///   - body: Returns the result.
    public func method<Params: Decodable & Sendable, Value: Encodable & Sendable>(
        _ name: String, whole: Params.Type, coder: (any MessageCoder)? = nil,
        _ body: @escaping @Sendable (Params) async throws -> Value
    ) {
        register(name, coder: coder, body) { call, coder in
            try InboundNotification(method: call.method, params: call.params).params(as: Params.self, using: coder)
        }
    }

    private static let noParams = RawJSON(JSONValue.array([]))

    private func register<Params: Sendable, Value: Encodable & Sendable>(
        _ name: String, coder: (any MessageCoder)?, _ body: @escaping @Sendable (Params) async throws -> Value,
        reading read: @escaping @Sendable (InboundCall, any MessageCoder) throws -> Params
    ) {
        let answer: @Sendable (InboundCall) async throws -> RawJSON = { call in
            let coder = coder ?? call.coder
            let params: Params
            do {
                params = try read(call, coder)
            } catch {
                let refusal = ErrorObject(invalidParams: error)
                // The session reports errors of notification handlers itself, but not an `ErrorObject` thrown for a
                // request.
                if !call.isNotification { call.reportFailure(refusal) }
                throw refusal
            }
            do {
                return try coder.encode(try await body(params))
            } catch let error as any CallErrorRepresentable {
                throw error.errorObject
            }
        }
        endpoint.setHandler(name, answer)
        endpoint.setNotificationHandler(name) { _ = try await answer($0) }
    }

    /// The params of a method without parameters that refuses unknown params.
    private struct Nothing: Decodable {
        init(from decoder: any Decoder) throws { try ParamsReader(from: decoder, names: []).refuseUnknown() }
    }
}

extension ServiceRegistrar {
    /// Calls a method that takes a completion handler, and returns its first result. Expansions call it.
    ///
    /// - Throws: The failure that the method gives to its handler; `CancellationError` if the method releases the
    ///   handler without calling it, or if the task is cancelled.
    public static func outcome<Value: Sendable>(
        of method: (@escaping @Sendable (Result<Value, any Error>) -> Void) async -> Void
    ) async throws -> Value {
        let (results, continuation) = AsyncThrowingStream<Value, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(1))
        await method(handler(continuation))
        for try await value in results { return value }
        throw CancellationError()
    }

    private static func handler<Value: Sendable>(
        _ continuation: AsyncThrowingStream<Value, any Error>.Continuation
    ) -> @Sendable (Result<Value, any Error>) -> Void {
        // The method may release its handler without calling it.
        let token = ReleaseToken { continuation.finish() }
        return { result in withExtendedLifetime(token) { _ = continuation.yield(with: result) } }
    }

    /// Waits for the call of a method that may be isolated to an actor. Expansions call it, because one `await` before
    /// this call covers isolated and nonisolated methods.
    public static func begin<Value: Sendable>(_ value: Value) async {}
}

// MARK: Methods that do not compile

extension ServiceRegistrar {
    @available(
        *, unavailable,
        message: """
            a service encodes the result: conform its type to 'Encodable' or 'Codable', or write '@JSONRPCProxy' if the \
            peer does not call this protocol
            """
    )
    public func method<Value: Sendable>(
        _ name: String, unknownParams: UnknownParams = .ignored, coder: (any MessageCoder)? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) {}

    @available(
        *, unavailable,
        message: """
            a service encodes the result: conform its type to 'Encodable' or 'Codable', or write '@JSONRPCProxy' if the \
            peer does not call this protocol
            """
    )
    public func method<Params: Decodable & Sendable, Value: Sendable>(
        _ name: String, params: Params.Type, coder: (any MessageCoder)? = nil,
        _ body: @escaping @Sendable (Params) async throws -> Value
    ) {}

    @available(
        *, unavailable,
        message: """
            a service decodes the params and encodes the result: conform their types to 'Codable', or write \
            '@JSONRPCProxy' if the peer does not call this protocol
            """
    )
    public func method<Params: Sendable, Value: Sendable>(
        _ name: String, whole: Params.Type, coder: (any MessageCoder)? = nil,
        _ body: @escaping @Sendable (Params) async throws -> Value
    ) {}
}
