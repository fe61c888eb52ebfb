// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A message of one or several requests for a transport of your own, which also reads the answer.
///
/// ```swift
/// let batch = try factory.create(Subtract(minuend: 42, subtrahend: 23), CountCharacters(of: "abc"))
/// let answer = try await post(batch.bytes)
/// let (difference, count) = try batch.responses(from: answer)
/// ```
///
/// A ``BatchFactory`` makes batches: ``SingleBatch`` for one request, ``TypedBatch`` for requests of different types,
/// ``UniformBatch`` for any number of one type, ``MixedBatch`` for a list of any.
public protocol Batch: Sendable {
    /// The responses of all requests, if each call succeeds.
    associatedtype Responses
    /// The outcome of each request. A notification always succeeds.
    associatedtype Results

    /// The message.
    var message: RequestMessage { get }

    /// The message as JSON: an array (JSON-RPC 2.0 §6), but an object for a single request.
    var bytes: [UInt8] { get }

    /// Reads an answer, and returns the outcome of each request. A response that is missing, malformed or an error does
    /// not affect the others.
    ///
    /// The order in the answer does not matter. An error that names no request is the outcome of every call without a
    /// response of its own.
    ///
    /// - Parameter answer: an array or an object; `[]`, no bytes, for notifications alone, which have no answer.
    func results(from answer: [UInt8]) -> Results

    /// Reads an answer that was parsed before.
    func results(from answer: JSONValue) -> Results

    /// Reads an answer.
    ///
    /// - Throws: the ``CallError`` of the first request, in their order, that has failed.
    func responses(from answer: [UInt8]) throws(CallError) -> Responses

    /// Reads an answer that was parsed before.
    ///
    /// - Throws: the ``CallError`` of the first request, in their order, that has failed.
    func responses(from answer: JSONValue) throws(CallError) -> Responses
}

// Each type of batch implements the requirements above by itself. A default for `TypedBatch` would be a candidate whose
// type is a pack, which the compiler cannot resolve where a batch is made and read in one expression.

extension Batch {
    /// The message as a tree.
    ///
    /// - Throws: a `JSONSyntaxError` if params that were given as `RawJSON` escape half of a surrogate pair.
    public var requestObject: JSONValue {
        get throws(JSONSyntaxError) { try JSONValue(RawJSON(unchecked: bytes)) }
    }

    /// The ids, in the order of the requests; `nil` for notifications, which have none.
    public var ids: [RequestID?] { message.requests.map(\.id) }

    /// Whether there is an answer: false for notifications alone.
    public var expectsResponse: Bool { message.expectsResponse }
}

/// The message and the reader that every batch has.
struct ComposedBatch: Sendable {
    let message: RequestMessage
    let bytes: [UInt8]
    let coder: any MessageCoder
    let reader: AnswerReader

    /// The outcome for each request; nil for notifications.
    func outcomes(from answer: [UInt8]) -> [Result<RawJSON, CallError>?] {
        let requests = message.requests
        let matching = ResponseMatching(strictness: reader.strictness)
        do {
            let responses = try reader.responses(in: answer)
            return matching.outcomes(for: requests, in: responses, received: responses.isEmpty ? nil : answer)
        } catch {
            return matching.outcomes(for: requests, failure: .failed(error))
        }
    }
}
