// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WireJSON

/// Sending messages, on the latest connection. A script can answer a request twice, to test how the other side reacts.
///
/// Every method that sends throws a ``ScriptFailure`` if there is no open connection, and the encoder's error if a
/// value cannot be encoded. The last four parameters are the place that the ``ScriptFailure`` names: leave them out.
extension ScriptedPeer {
    /// Sends a notification. If `params` is `nil`, the message has no such member.
    public func notify(
        _ method: String, params: JSONValue? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try send(["jsonrpc": "2.0", "method": .string(method)], params, at: place)
    }

    /// Sends a request. If `params` is `nil`, the message has no such member.
    /// ``expectResponse(to:fileID:filePath:line:column:)`` takes the response.
    public func request(
        _ method: String, params: JSONValue? = nil, id: JSONValue, fileID: String = #fileID,
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try send(["jsonrpc": "2.0", "id": id, "method": .string(method)], params, at: place)
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
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try send(Array(text.utf8), PeerScript.Form(), at: place)
    }

    /// Sends bytes as one message.
    ///
    /// Connections in memory and WebSockets can send a binary message. Only a connection in memory can give the
    /// receiver the message as if it had arrived in several frames, `inFragments`.
    ///
    /// - Throws: ``ScriptFailure``, also if the connection cannot send such a message.
    public func send(
        _ bytes: [UInt8], isBinary: Bool, inFragments: Bool = false, fileID: String = #fileID,
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try send(bytes, PeerScript.Form(isBinary: isBinary, isFragmented: inFragments), at: place)
    }

    // MARK: Answering

    /// Answers a request with a result.
    public func reply(
        to request: ReceivedCall, result: JSONValue, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try send(Self.answer(to: request, .success(result)), at: place)
    }

    /// Answers a request with a result, encoded as JSON by `WireJSONEncoder`.
    @_disfavoredOverload
    public func reply(
        to request: ReceivedCall, result: some Encodable, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try send(Self.answer(to: request, .success(JSONValue(RawJSON(encoding: result)))), at: place)
    }

    /// Answers a request with an error.
    public func reply(
        to request: ReceivedCall, error: ErrorObject, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try send(Self.answer(to: request, .failure(error)), at: place)
    }

    /// Answers the requests of a batch with one array.
    ///
    /// There is one result for each request, in the order of the requests. Notifications get no answer.
    ///
    /// - Throws: ``ScriptFailure``, also if there are more or fewer results than requests.
    public func reply(
        to batch: ReceivedBatch, results: [JSONValue], fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try reply(to: batch, results.map { .success($0) }, at: place)
    }

    /// Answers the requests of a batch with one array of results, encoded as JSON by `WireJSONEncoder`.
    ///
    /// There is one result for each request, in the order of the requests. Notifications get no answer. An
    /// `ErrorObject` among the results is sent as an error.
    ///
    /// - Throws: ``ScriptFailure``, also if there are more or fewer results than requests.
    @_disfavoredOverload
    public func reply(
        to batch: ReceivedBatch, results: [any Encodable], fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        let outcomes = try results.map { result -> Result<JSONValue, ErrorObject> in
            if let error = result as? ErrorObject { return .failure(error) }
            return .success(try JSONValue(RawJSON(encoding: result)))
        }
        try reply(to: batch, outcomes, at: place)
    }

    private func reply(
        to batch: ReceivedBatch, _ outcomes: [Result<JSONValue, ErrorObject>], at place: ScriptFailure.Location
    ) throws {
        let requests = batch.requests
        guard requests.count == outcomes.count else {
            throw ScriptFailure(
                expected: "\(requests.count) results for as many requests", instead: "there are \(outcomes.count)",
                location: place)
        }
        try send(.array(try zip(requests, outcomes).map(Self.answer)), at: place)
    }

    private static func answer(
        to request: ReceivedCall, _ outcome: Result<JSONValue, ErrorObject>
    ) throws -> JSONValue {
        var answer: JSONValue = ["jsonrpc": "2.0", "id": request.id ?? .null]
        switch outcome {
        case .success(let result): answer["result"] = result
        case .failure(let error): answer["error"] = try JSONValue(RawJSON(encoding: error))
        }
        return answer
    }

    // MARK: Ending

    /// Closes the connection with a closing handshake, after the messages that were sent.
    public func close(code: UInt16 = 1000, reason: String = "") {
        if let transport = transport as? any PeerTransport {
            transport.end(code: code, reason: reason, deadline: patience)
        } else {
            transport?.close(code: code, reason: reason, deadline: patience)
        }
    }

    /// Ends the connection without a handshake, after the messages that were sent and have arrived.
    public func drop(error: (any Error)? = nil) {
        if let inMemory { inMemory.dropConnection(error: error) } else { close(code: 1006) }
    }

    // MARK: Parts

    private func send(_ json: JSONValue, _ params: JSONValue? = nil, at place: ScriptFailure.Location) throws {
        var json = json
        if let params { json["params"] = params }
        try send(json.bytes, PeerScript.Form(), at: place)
    }

    func send(_ bytes: [UInt8], _ form: PeerScript.Form, at place: ScriptFailure.Location) throws {
        guard let transport else {
            throw ScriptFailure(expected: "a connection", instead: "there is none", location: place)
        }
        let outcome: EnqueueOutcome
        switch (transport, form.isBinary, form.isFragmented) {
        case (let transport as InMemoryTransport, let isBinary, let isFragmented):
            outcome = transport.enqueue([bytes[...]], isBinary: isBinary, isAssembled: isFragmented)
        case (_, false, false): outcome = transport.enqueue(sharing: [bytes[...]])
        case (let transport as any PeerTransport, true, false): outcome = transport.enqueue(binary: bytes)
        default:
            throw ScriptFailure(
                expected: "a connection in memory", instead: "it is a \(type(of: transport))", location: place)
        }
        guard case .queued(_, let mustWake) = outcome else {
            throw ScriptFailure(expected: "an open connection", instead: "it is closing or closed", location: place)
        }
        if mustWake { transport.wake() }
    }
}
