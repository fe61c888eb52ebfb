// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import Synchronization
public import WireJSON

/// Taking messages.
///
/// Each method waits for its message, at most for ``patience``, and throws at once if its task is cancelled. The last
/// four parameters are the place that a ``ScriptFailure`` names: leave them out.
extension ScriptedPeer {
    /// Takes a request.
    ///
    /// - Parameters:
    ///   - method: The method. The default is `nil`: any method.
    ///   - params: The params, compared as JSON values, so that the order of members does not matter. The default is
    ///     `nil`: any params.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The request. Answer it with `reply(to:result:)` or `reply(to:error:)`.
    /// - Throws: ``ScriptFailure`` or `CancellationError`.
    @discardableResult
    public func expectRequest(
        _ method: String? = nil, params: JSONValue? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) async throws -> ReceivedCall {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        return try await expect(described("a request", method, params), at: place) { message in
            guard let call = Self.call(message), call.id != nil, Self.fits(call, method, params) else { return nil }
            return call
        }
    }

    /// Takes a notification.
    ///
    /// - Parameters:
    ///   - method: The method. The default is `nil`: any method.
    ///   - params: The params, compared as JSON values, so that the order of members does not matter. The default is
    ///     `nil`: any params.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The notification.
    /// - Throws: ``ScriptFailure`` or `CancellationError`.
    @discardableResult
    public func expectNotification(
        _ method: String? = nil, params: JSONValue? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) async throws -> ReceivedCall {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        return try await expect(described("a notification", method, params), at: place) { message in
            guard let call = Self.call(message), call.id == nil, Self.fits(call, method, params) else { return nil }
            return call
        }
    }

    /// Takes the response to a request of this peer.
    ///
    /// - Parameters:
    ///   - id: The id of the request.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The response.
    /// - Throws: ``ScriptFailure`` or `CancellationError`.
    @discardableResult
    public func expectResponse(
        to id: JSONValue, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws -> ReceivedResponse {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        return try await expect("a response to \(id)", at: place) { message in
            guard let response = message.json.flatMap(ReceivedResponse.init), response.id == id else { return nil }
            return response
        }
    }

    /// Takes an array of messages.
    ///
    /// ```swift
    /// let batch = try await peer.expectBatch(of: ["add", "subtract"])
    /// try peer.reply(to: batch, results: [3, 19])
    /// ```
    ///
    /// - Parameters:
    ///   - methods: The methods of its requests and notifications, in order. The default is `nil`: any methods.
    ///   - count: The number of its members. The default is `nil`: any number.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The batch.
    /// - Throws: ``ScriptFailure`` or `CancellationError`.
    @discardableResult
    public func expectBatch(
        of methods: [String]? = nil, count: Int? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) async throws -> ReceivedBatch {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        var what = count.map { "an array of \($0) messages" } ?? "an array of messages"
        if let methods { what += " with the methods \(methods)" }
        return try await expect(what, at: place) { message in
            guard let batch = ReceivedBatch(message), count == nil || count == batch.count,
                methods == nil || methods == batch.calls.map(\.method)
            else { return nil }
            return batch
        }
    }

    /// Takes the next message of any kind.
    ///
    /// - Returns: The message.
    /// - Throws: ``ScriptFailure`` if no message arrives, or `CancellationError`.
    @discardableResult
    public func expectMessage(
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) async throws -> ReceivedMessage {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        return try await expect("a message", at: place) { $0 }
    }

    // MARK: Parts

    /// Takes the next message for which `take` returns a value.
    ///
    /// - Parameter contradicts: Returns whether a message shows that the expected one will not arrive. It is not called
    ///   for messages that `take` takes.
    func expect<Taken: Sendable>(
        _ what: String, at place: ScriptFailure.Location,
        contradicts: @escaping @Sendable (ReceivedMessage) -> Bool = { _ in false },
        _ take: @escaping @Sendable (ReceivedMessage) -> Taken?
    ) async throws -> Taken {
        let instead: String
        var received: ReceivedMessage?
        switch await next(where: { take($0) != nil || contradicts($0) }) {
        case .message(let message):
            if let taken = take(message) { return taken }
            instead = "received \(message.shownText)"
            received = message
        case .none(let reason):
            instead = reason
        case .cancelled:
            throw CancellationError()
        }
        throw ScriptFailure(expected: what, instead: instead, at: place, received: received)
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
