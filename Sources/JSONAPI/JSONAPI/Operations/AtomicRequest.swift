// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

extension JSONAPIRequest {
    /// Creates a request that performs operations, all of them or none.
    public init(path: String, operations: [AtomicOperation]) {
        self.init(path: path, method: .post, body: RawDocument(operations: operations))
        extensions = [AtomicOperations.uri]
    }
}

extension JSONAPISender {
    /// Performs operations, all of them or none, and returns their results in their order.
    ///
    /// - Parameters:
    ///   - operations: The operations. Without any, no request is sent.
    ///   - path: The path of the endpoint, below the base URL of the API.
    /// - Returns: One result for each operation. They are without data if the server answers with the status 204.
    /// - Throws: A ``JSONAPIError``. ``JSONAPIError/operationIndex(of:)`` tells which operation failed.
    public func perform(
        _ operations: [AtomicOperation], path: String
    ) async throws(JSONAPIError) -> [AtomicResult] {
        guard !operations.isEmpty else { return [] }
        let response = try await send(JSONAPIRequest(path: path, operations: operations))
        return try response.atomicResults(count: operations.count)
    }
}

extension ServerResponse {
    /// Returns the results of a number of operations.
    func atomicResults(count: Int) throws(JSONAPIError) -> [AtomicResult] {
        guard let document else { return Array(repeating: AtomicResult(), count: count) }
        let results: [AtomicResult]?
        do {
            results = try document.atomicResults()
        } catch {
            throw JSONAPIError(.document, error.description, underlying: error, response: self)
        }
        guard let results else { return Array(repeating: AtomicResult(), count: count) }
        guard results.count == count else {
            let message = "The server returned \(results.count) results for \(count) operations."
            throw JSONAPIError(.document, message, response: self)
        }
        return results
    }
}

extension JSONAPIError {
    /// Returns the position of the operation that an error of a server is about. It is `nil` if the error has no pointer into
    /// an operation.
    public func operationIndex(of error: JSONAPIErrorObject) -> Int? { operationPlace(of: error)?.index }

    /// Returns the position of the operation, and the place within it, that an error of a server is about.
    public func operationPlace(of error: JSONAPIErrorObject) -> (index: Int, pointer: JSONPointer)? {
        guard let tokens = error.source?.pointer.flatMap({ JSONPointer(parsing: $0) })?.tokens, tokens.count > 1,
            tokens[0] == AtomicOperations.operations, let index = JSONPointer.index(tokens[1])
        else { return nil }
        return (index, JSONPointer(Array(tokens.dropFirst(2))))
    }
}
