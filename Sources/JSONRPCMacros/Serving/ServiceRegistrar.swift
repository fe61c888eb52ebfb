// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import JSONRPCSession
import Synchronization
import WireJSON

/// Takes the methods of a ``JSONRPCService`` for an endpoint.
public struct ServiceRegistrar: Sendable {
    private let endpoint: any JSONRPCEndpoint

    init(endpoint: any JSONRPCEndpoint) { self.endpoint = endpoint }

    /// Registers a method whose params are a list.
    ///
    /// - Parameters:
    ///   - name: the method's name.
    ///   - params: read by a ``ParamsReader``.
    ///   - coder: nil for the endpoint's own.
    ///   - body: gives the result.
    public func method<Params: Decodable & Sendable, Value: Encodable & Sendable>(
        _ name: String, params: Params.Type, coder: (any MessageCoder)? = nil,
        _ body: @escaping @Sendable (Params) async throws -> Value
    ) {
        register(name, coder: coder, body) { call, coder in
            guard let json = call.params else { return try coder.decode(Params.self, from: Self.noParams) }
            return try coder.decode(Params.self, from: json)
        }
    }

    /// Registers a method with one parameter, which takes the params as a whole.
    ///
    /// - Parameters:
    ///   - name: the method's name.
    ///   - whole: what the params are decoded as.
    ///   - coder: nil for the endpoint's own.
    ///   - body: gives the result.
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
                throw ErrorObject(invalidParams: error)
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

    /// Waits for a method that takes a completion handler. Expansions call it.
    ///
    /// The first result counts.
    ///
    /// - Throws: what the method gives as its failure; `CancellationError` when it lets go of its handler without
    ///   calling it.
    public static func outcome<Value: Sendable>(
        of method: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = FirstOutcome(continuation)
            method { outcome.resume(with: $0) }
        }
    }
}

/// Resumes a continuation once, whatever the handler that holds it does.
private final class FirstOutcome<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

    init(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = Mutex(continuation) }

    deinit { resume(with: .failure(CancellationError())) }

    func resume(with result: Result<Value, any Error>) {
        let continuation = self.continuation.withLock { held in
            defer { held = nil }
            return held
        }
        continuation?.resume(with: result)
    }
}
