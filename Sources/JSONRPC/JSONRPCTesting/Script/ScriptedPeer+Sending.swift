// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
public import WireJSON

/// Sending messages, on the latest connection.
///
/// Every method that sends throws a ``ScriptFailure`` if there is no open connection. The last four parameters are the
/// place that the ``ScriptFailure`` names: leave them out.
extension ScriptedPeer {
    /// Sends a notification.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - params: The params. The default is `nil`: the message has no `params` member.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``ScriptFailure``.
    public func notify(
        _ method: String, params: JSONValue? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws {
        var message: JSONValue = ["jsonrpc": "2.0", "method": .string(method)]
        if let params { message["params"] = params }
        try send(message, at: .init(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Sends a request. ``expectResponse(to:fileID:filePath:line:column:)`` takes the response.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - params: The params. The default is `nil`: the message has no `params` member.
    ///   - id: The id of the request.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``ScriptFailure``.
    public func request(
        _ method: String, params: JSONValue? = nil, id: JSONValue, fileID: String = #fileID,
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) throws {
        var message: JSONValue = ["jsonrpc": "2.0", "id": id, "method": .string(method)]
        if let params { message["params"] = params }
        try send(message, at: .init(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Sends a JSON value as a text message. It does not have to be a JSON-RPC message.
    public func send(
        json: JSONValue, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) throws {
        try send(json, at: .init(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Sends a text message. It does not have to be JSON.
    public func send(
        _ text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) throws {
        try send(text, at: .init(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Sends bytes as one message.
    ///
    /// - Parameters:
    ///   - bytes: The message.
    ///   - isBinary: Whether it is a binary message.
    ///   - inFragments: Whether the receiver gets the message as if it had arrived in several frames. The connection must
    ///     then be in memory. The default is `false`.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``ScriptFailure``, also if the connection cannot send such a message. Connections in memory and
    ///   WebSockets can send binary messages.
    public func send(
        _ bytes: [UInt8], isBinary: Bool, inFragments: Bool = false, fileID: String = #fileID,
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try send(bytes, isBinary: isBinary, inFragments: inFragments, at: place)
    }

    // MARK: Ending

    /// Closes the connection with a closing handshake, after the messages that were sent.
    public func close(code: UInt16 = 1000, reason: String = "") {
        end(code: code, reason: reason)
    }

    /// Ends the connection without a handshake, after the messages that were sent and have arrived.
    public func drop(error: (any Error)? = nil) {
        if let inMemory {
            inMemory.dropConnection(error: error)
        } else {
            end(code: 1006, reason: "")
        }
    }

    private func end(code: UInt16, reason: String) {
        if let transport = transport as? any PeerTransport {
            transport.end(code: code, reason: reason, deadline: patience)
        } else {
            transport?.close(code: code, reason: reason, deadline: patience)
        }
    }

    // MARK: Parts

    func send(_ json: JSONValue, at place: ScriptFailure.Location) throws {
        try send(String(decoding: json.bytes, as: UTF8.self), at: place)
    }

    private func send(_ text: String, at place: ScriptFailure.Location) throws {
        try send(Array(text.utf8), isBinary: false, inFragments: false, at: place)
    }

    func send(_ bytes: [UInt8], isBinary: Bool, inFragments: Bool, at place: ScriptFailure.Location) throws {
        if let inMemory { return try check(inMemory.send(bytes, isBinary: isBinary, inFragments: inFragments), place) }
        guard let transport else {
            throw ScriptFailure(expected: "a connection", instead: "there is none", at: place)
        }
        let outcome: EnqueueOutcome
        switch (isBinary, inFragments, transport as? any PeerTransport) {
        case (false, false, _): outcome = transport.enqueue(sharing: [bytes[...]])
        case (true, false, let transport?): outcome = transport.enqueue(binary: bytes)
        default:
            throw ScriptFailure(
                expected: "a connection in memory", instead: "it is a \(type(of: transport))", at: place)
        }
        switch outcome {
        case .queued(_, let mustWake): if mustWake { transport.wake() }
        case .refused: try check(false, place)
        }
    }

    private func check(_ isAccepted: Bool, _ place: ScriptFailure.Location) throws {
        guard !isAccepted else { return }
        throw ScriptFailure(expected: "an open connection", instead: "it is closing or closed", at: place)
    }
}
