// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import JSONRPCSession
import Synchronization
public import WireJSON

/// Taking what comes.
extension ScriptedPeer {
    /// Takes a request.
    ///
    /// - Parameters:
    ///   - method: nil for any.
    ///   - params: as JSON values are equal, whatever the order of members; nil for any.
    /// - Throws: ``ScriptFailure``.
    @discardableResult
    public func expectRequest(_ method: String? = nil, params: JSONValue? = nil) async throws -> ReceivedCall {
        try await expect(described("a request", method, params)) { message in
            guard let call = Self.call(message), call.id != nil, Self.fits(call, method, params) else { return nil }
            return call
        }
    }

    /// Takes a notification.
    ///
    /// - Throws: ``ScriptFailure``.
    @discardableResult
    public func expectNotification(
        _ method: String? = nil, params: JSONValue? = nil
    ) async throws -> ReceivedCall {
        try await expect(described("a notification", method, params)) { message in
            guard let call = Self.call(message), call.id == nil, Self.fits(call, method, params) else { return nil }
            return call
        }
    }

    /// Takes the answer to a request of this peer.
    ///
    /// - Throws: ``ScriptFailure``.
    @discardableResult
    public func expectResponse(to id: JSONValue) async throws -> ReceivedResponse {
        try await expect("a response to \(id)") { message in
            guard let response = message.json.flatMap(ReceivedResponse.init), response.id == id else { return nil }
            return response
        }
    }

    /// Takes an array of messages, and returns its members.
    ///
    /// - Throws: ``ScriptFailure``.
    @discardableResult
    public func expectBatch(count: Int? = nil) async throws -> [JSONValue] {
        try await expect(count.map { "an array of \($0) messages" } ?? "an array of messages") { message in
            guard let members = message.json?.arrayValue, count == nil || count == members.count else { return nil }
            return members
        }
    }

    /// Takes the next message, whatever it is.
    ///
    /// - Throws: ``ScriptFailure`` when none comes.
    @discardableResult
    public func expectMessage() async throws -> ReceivedMessage {
        try await expect("a message") { $0 }
    }

    /// Waits until there is a connection, the `number`th of this peer.
    ///
    /// - Throws: ``ScriptFailure``.
    public func expectConnection(_ number: Int = 1) async throws {
        guard await wait(until: { connections, _ in connections >= number }) else {
            throw ScriptFailure(expected: "connection \(number)", came: "there were \(connectionCount)")
        }
    }

    /// Waits until a connection has ended, the `number`th that does.
    ///
    /// - Throws: ``ScriptFailure``.
    @discardableResult
    public func expectClosure(_ number: Int = 1) async throws -> TransportClosure {
        guard await wait(until: { _, closures in closures >= number }),
            let closure = state.withLock({ $0.closures.dropFirst(number - 1).first })
        else { throw ScriptFailure(expected: "the connection to close", came: "it did not") }
        return closure
    }

    /// Checks that every message which came was taken. What comes later is not seen: call it once the connection has
    /// ended.
    ///
    /// - Throws: ``ScriptFailure``.
    public func expectNothingMore() throws {
        guard let message = untaken.first else { return }
        throw ScriptFailure(expected: "nothing more", came: "what came was \(message.text)")
    }

    // MARK: Parts

    func expect<Taken: Sendable>(
        _ what: String, line: Int? = nil, _ take: @escaping @Sendable (ReceivedMessage) -> Taken?
    ) async throws -> Taken {
        switch await next(where: { take($0) != nil }) {
        case .message(let message):
            if let taken = take(message) { return taken }
            throw ScriptFailure(expected: what, came: "what came was \(message.text)", line: line)
        case .none(let came):
            throw ScriptFailure(expected: what, came: came, line: line)
        }
    }

    private static func call(_ message: ReceivedMessage) -> ReceivedCall? {
        message.json.flatMap { ReceivedCall($0, connection: message.connection) }
    }

    private static func fits(_ call: ReceivedCall, _ method: String?, _ params: JSONValue?) -> Bool {
        (method == nil || call.method == method) && (params == nil || call.params == params)
    }

    private func described(_ kind: String, _ method: String?, _ params: JSONValue?) -> String {
        kind + (method.map { " of \"\($0)\"" } ?? "") + (params.map { " with params \($0)" } ?? "")
    }
}
