// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// Answering, on the latest connection. A script can answer a request twice, to test how the other side reacts.
///
/// Every method throws a ``ScriptFailure`` if there is no open connection, and the encoder's error if a value cannot be
/// encoded. The last four parameters are the place that the ``ScriptFailure`` names: leave them out.
extension ScriptedPeer {
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
    /// - Throws: ``ScriptFailure``, also if there are more or fewer results than requests; the error of a value that
    ///   cannot be encoded.
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

    // MARK: Parts

    private func reply(
        to batch: ReceivedBatch, _ outcomes: [Result<JSONValue, ErrorObject>], at place: ScriptFailure.Location
    ) throws {
        let requests = batch.requests
        guard requests.count == outcomes.count else {
            throw ScriptFailure(
                expected: "\(requests.count) results for as many requests", instead: "there are \(outcomes.count)",
                at: place)
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
}
