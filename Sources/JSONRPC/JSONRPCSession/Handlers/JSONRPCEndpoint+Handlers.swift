// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// Handlers of requests, each served in a task of its own.
///
/// A handler that captures its client keeps the client and its connection alive, and a handler must not await the
/// closing of its client: see ``JSONRPCEndpoint``.
extension JSONRPCEndpoint {
    /// Handles the requests of a method.
    ///
    /// Params that cannot be decoded are answered with `ErrorObject.Code.invalidParams`.
    public func handle<P: Decodable & Sendable, R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P) async throws -> R
    ) {
        setHandler(method) { try $0.coder.encode(try await handler(try $0.decodeParams())) }
    }

    /// Handles the requests of a method. The handler also gets the call, with its id, extra members and session.
    public func handle<P: Decodable & Sendable, R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P, InboundCall) async throws -> R
    ) {
        setHandler(method) { try $0.coder.encode(try await handler(try $0.decodeParams(), $0)) }
    }

    /// Handles the requests of a method. The handler gets only the call, with its params, id, extra members and
    /// session.
    public func handle<R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> R
    ) {
        setHandler(method) { try $0.coder.encode(try await handler($0)) }
    }

    /// Handles the requests of a method, and ignores their params.
    public func handle<R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable () async throws -> R
    ) {
        setHandler(method) { try $0.coder.encode(try await handler()) }
    }

    /// Handles the requests of a method, and answers them with `null`.
    public func handle<P: Decodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P) async throws -> Void
    ) {
        setHandler(method) {
            try await handler(try $0.decodeParams())
            return .null
        }
    }

    /// Handles the requests of a method, and answers them with `null`. The handler also gets the call.
    public func handle<P: Decodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P, InboundCall) async throws -> Void
    ) {
        setHandler(method) {
            try await handler(try $0.decodeParams(), $0)
            return .null
        }
    }

    /// Handles the requests of a method, and answers them with `null`. The handler gets only the call.
    public func handle(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> Void) {
        setHandler(method) {
            try await handler($0)
            return .null
        }
    }

    /// Handles the requests of a method, ignores their params, and answers them with `null`.
    public func handle(_ method: String, _ handler: @escaping @Sendable () async throws -> Void) {
        setHandler(method) { _ in
            try await handler()
            return .null
        }
    }
}

/// Handlers of requests that are served in order, without a task for each. A handler must not block: see
/// ``SynchronousHandler``.
extension JSONRPCEndpoint {
    /// Handles the requests of a method in order.
    ///
    /// Params that cannot be decoded are answered with `ErrorObject.Code.invalidParams`.
    public func handleSynchronously<P: Decodable & Sendable, R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P) throws -> R
    ) {
        setHandler(
            method,
            SynchronousHandler { call, bytes in try call.coder.encode(handler(call.decodeParams()), into: &bytes) })
    }

    /// Handles the requests of a method in order. The handler also gets the call, with its id, extra members and
    /// session.
    public func handleSynchronously<P: Decodable & Sendable, R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P, InboundCall) throws -> R
    ) {
        setHandler(
            method,
            SynchronousHandler { call, bytes in
                try call.coder.encode(handler(call.decodeParams(), call), into: &bytes)
            })
    }

    /// Handles the requests of a method in order. The handler gets only the call, with its params, id, extra members
    /// and session.
    public func handleSynchronously<R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (InboundCall) throws -> R
    ) {
        setHandler(method, SynchronousHandler { call, bytes in try call.coder.encode(handler(call), into: &bytes) })
    }

    /// Handles the requests of a method in order, and ignores their params.
    public func handleSynchronously<R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable () throws -> R
    ) {
        setHandler(method, SynchronousHandler { call, bytes in try call.coder.encode(handler(), into: &bytes) })
    }

    /// Handles the requests of a method in order, and answers them with `null`.
    public func handleSynchronously<P: Decodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P) throws -> Void
    ) {
        setHandler(method, SynchronousHandler(answeringNull: { try handler($0.decodeParams()) }))
    }

    /// Handles the requests of a method in order, and answers them with `null`. The handler also gets the call.
    public func handleSynchronously<P: Decodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P, InboundCall) throws -> Void
    ) {
        setHandler(method, SynchronousHandler(answeringNull: { try handler($0.decodeParams(), $0) }))
    }

    /// Handles the requests of a method in order, and answers them with `null`. The handler gets only the call.
    public func handleSynchronously(_ method: String, _ handler: @escaping @Sendable (InboundCall) throws -> Void) {
        setHandler(method, SynchronousHandler(answeringNull: handler))
    }

    /// Handles the requests of a method in order, ignores their params, and answers them with `null`.
    public func handleSynchronously(_ method: String, _ handler: @escaping @Sendable () throws -> Void) {
        setHandler(method, SynchronousHandler(answeringNull: { _ in try handler() }))
    }
}
