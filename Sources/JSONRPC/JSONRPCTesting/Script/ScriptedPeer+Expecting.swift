// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import TaskWaits
public import WireJSON

/// Taking messages, and waiting for connections and their ends.
///
/// Each method waits at most for ``patience``, and throws at once if its task is cancelled. It throws a
/// ``ScriptFailure`` or `CancellationError`. The last four parameters are the place that a ``ScriptFailure`` names:
/// leave them out.
extension ScriptedPeer {
    /// Takes a request. Answer it with `reply(to:result:)` or `reply(to:error:)`.
    ///
    /// If the method or the params are `nil`, any value matches. Params are compared as JSON values, so the order of
    /// members does not matter.
    @discardableResult
    public func expectRequest(
        _ method: String? = nil, params: JSONValue? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) async throws -> ReceivedCall {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        return try await expectCall("a request", method, params, at: place) { $0.id != nil }
    }

    /// Takes a notification. The parameters are those of `expectRequest`.
    @discardableResult
    public func expectNotification(
        _ method: String? = nil, params: JSONValue? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) async throws -> ReceivedCall {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        return try await expectCall("a notification", method, params, at: place) { $0.id == nil }
    }

    /// Takes the response to the request of this peer that has an id.
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
    /// `methods` are those of its requests and notifications, in order, and `count` is the number of its members. `nil`
    /// matches any.
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
    @discardableResult
    public func expectMessage(
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) async throws -> ReceivedMessage {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        return try await expect("a message", at: place) { $0 }
    }

    /// Checks that every message was taken. It does not wait, so call it when the connection has ended.
    public func expectNothingMore(
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) throws {
        guard let message = untaken.first else { return }
        throw ScriptFailure(
            expected: "nothing more", instead: "received \(message)",
            location: .init(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    // MARK: Connections

    /// Waits until there is a connection with this number, counted from 1 over the life of this peer.
    public func expectConnection(
        _ number: Int = 1, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws {
        guard try await state.wait(atMost: patience, until: { $0.connections >= number }) else {
            throw ScriptFailure(
                expected: "connection \(number)",
                instead: "the number of connections after \(patience) was \(connectionCount)",
                location: .init(fileID: fileID, filePath: filePath, line: line, column: column))
        }
    }

    /// Waits until this number of connections has ended over the life of this peer, and returns the end of the last.
    @discardableResult
    public func expectClosure(
        _ number: Int = 1, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws -> TransportClosure {
        guard try await state.wait(atMost: patience, until: { $0.closures.count >= number }),
            let closure = state.withLock({ $0.closures.dropFirst(number - 1).first })
        else {
            throw ScriptFailure(
                expected: "the end of connection \(number)", instead: "it was open after \(patience)",
                location: .init(fileID: fileID, filePath: filePath, line: line, column: column))
        }
        return closure
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
        do {
            let message = try await next(where: { take($0) != nil || contradicts($0) })
            if let taken = take(message) { return taken }
            throw ScriptFailure(
                expected: what, instead: "received \(message)", location: place, received: message)
        } catch let error as NoMessage {
            throw ScriptFailure(expected: what, instead: error.reason, location: place)
        }
    }

    private func expectCall(
        _ kind: String, _ method: String?, _ params: JSONValue?, at place: ScriptFailure.Location,
        where isOfKind: @escaping @Sendable (ReceivedCall) -> Bool
    ) async throws -> ReceivedCall {
        let what = kind + (method.map { " of \"\($0)\"" } ?? "") + (params.map { " with params \($0)" } ?? "")
        return try await expect(what, at: place) { message in
            guard let call = message.json.flatMap({ ReceivedCall($0, connection: message.connection) }),
                isOfKind(call), method == nil || call.method == method, params == nil || call.params == params
            else { return nil }
            return call
        }
    }
}
