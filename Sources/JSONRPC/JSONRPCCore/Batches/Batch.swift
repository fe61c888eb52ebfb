// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Requests for a transport of your own: the bytes to send, and the functions that read the answer.
///
/// ```swift
/// let batch = try factory.create(Subtract(minuend: 42, subtrahend: 23), CountCharacters(of: "abc"))
/// let answer = try await post(batch.bytes)
/// let (difference, count) = try batch.responses(from: answer)
/// ```
///
/// A ``BatchFactory`` makes batches: a ``BatchFactory/Single`` of one request, a ``BatchFactory/Typed`` of requests of
/// different types, a ``BatchFactory/Uniform`` of any number of requests of one type, and a ``BatchFactory/Mixed`` of a
/// list of requests of any types.
public protocol Batch: Sendable {
    /// The responses of all requests together.
    associatedtype Responses
    /// The outcomes of all requests. A notification always succeeds.
    associatedtype Results

    /// The message as data.
    var message: RequestMessage { get }

    /// The message as JSON, in UTF-8: an array (JSON-RPC 2.0 §6), or an object for a single request.
    var bytes: [UInt8] { get }

    /// Returns the outcome of each request. A response that is missing, malformed or an error affects only its own
    /// request.
    ///
    /// Responses can be in any order. An error without an id is the outcome of every call that has no response of its
    /// own.
    ///
    /// - Parameter answer: A JSON array or object. Pass no bytes, `[]`, for a batch of notifications alone, because the
    ///   peer does not answer it.
    func results(from answer: [UInt8]) -> Results

    /// Returns the outcome of each request, from an answer that is already parsed.
    func results(from answer: JSONValue) -> Results

    /// Returns the response to each request.
    ///
    /// - Throws: The ``CallError`` of the first request that failed, in the order of the requests.
    func responses(from answer: [UInt8]) throws(CallError) -> Responses

    /// Returns the response to each request, from an answer that is already parsed.
    ///
    /// - Throws: The ``CallError`` of the first request that failed, in the order of the requests.
    func responses(from answer: JSONValue) throws(CallError) -> Responses
}

// Each type of batch implements all requirements itself. With default implementations, the compiler cannot resolve the
// parameter packs of `BatchFactory.Typed` in an expression that makes a batch and reads its answer.

extension Batch {
    /// The message as a JSON value.
    ///
    /// - Throws: A `JSONSyntaxError` if params given as `RawJSON` escape half of a surrogate pair.
    public var requestObject: JSONValue {
        get throws(JSONSyntaxError) { try JSONValue(RawJSON(unchecked: bytes)) }
    }

    /// The ids, in the order of the requests; `nil` for notifications, which have no id.
    public var ids: [RequestID?] { message.requests.map(\.id) }

    /// Whether the peer answers. It is `false` for a batch of notifications alone.
    public var expectsResponse: Bool { message.expectsResponse }
}

/// The part that all types of batches share.
struct ComposedBatch: Sendable, CustomStringConvertible {
    let message: RequestMessage
    let bytes: [UInt8]
    let coder: any MessageCoder
    let reader: AnswerReader

    var description: String { RawJSON(unchecked: bytes).excerpt(upTo: 1000) }

    /// Returns the outcome of each request; `nil` for notifications.
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

extension BatchFactory {
    /// A batch of one request. On the wire it is an object. The answer may be an object or an array.
    public struct Single<Request: JSONRPCRequest>: Batch {
        public typealias Responses = Request.Response
        public typealias Results = Result<Request.Response, CallError>

        /// The request.
        public let request: Request
        let composed: ComposedBatch

        public var message: RequestMessage { composed.message }
        public var bytes: [UInt8] { composed.bytes }

        public func results(from answer: [UInt8]) -> Results {
            request.outcome(of: composed.outcomes(from: answer).first ?? nil, using: composed.coder)
        }

        public func results(from answer: JSONValue) -> Results { results(from: answer.bytes) }

        public func responses(from answer: [UInt8]) throws(CallError) -> Responses { try results(from: answer).get() }

        public func responses(from answer: JSONValue) throws(CallError) -> Responses {
            try responses(from: answer.bytes)
        }
    }

    /// A batch of requests of different types.
    public struct Typed<each Request: JSONRPCRequest>: Batch {
        public typealias Responses = (repeat (each Request).Response)
        public typealias Results = (repeat Result<(each Request).Response, CallError>)

        /// The requests, in order.
        public let requests: (repeat each Request)
        let composed: ComposedBatch

        init(_ requests: repeat each Request, composed: ComposedBatch) {
            self.requests = (repeat each requests)
            self.composed = composed
        }

        public var message: RequestMessage { composed.message }
        public var bytes: [UInt8] { composed.bytes }

        public func results(from answer: [UInt8]) -> Results {
            var outcomes = composed.outcomes(from: answer).makeIterator()
            func result<R: JSONRPCRequest>(_ request: R) -> Result<R.Response, CallError> {
                request.outcome(of: outcomes.next() ?? nil, using: composed.coder)
            }
            return (repeat result(each requests))
        }

        public func responses(from answer: [UInt8]) throws(CallError) -> (repeat (each Request).Response) {
            let results = results(from: answer)
            return (repeat try (each results).get())
        }

        public func responses(from answer: JSONValue) throws(CallError) -> (repeat (each Request).Response) {
            try responses(from: answer.bytes)
        }

        public func results(from answer: JSONValue) -> (repeat Result<(each Request).Response, CallError>) {
            results(from: answer.bytes)
        }
    }

    /// A batch of any number of requests of one type.
    public struct Uniform<Request: JSONRPCRequest>: Batch {
        public typealias Responses = [Request.Response]
        public typealias Results = [Result<Request.Response, CallError>]

        /// The requests, in order.
        public let requests: [Request]
        let composed: ComposedBatch

        public var message: RequestMessage { composed.message }
        public var bytes: [UInt8] { composed.bytes }

        public func results(from answer: [UInt8]) -> Results {
            Request.outcomes(of: requests, came: composed.outcomes(from: answer), using: composed.coder)
        }

        public func results(from answer: JSONValue) -> Results { results(from: answer.bytes) }

        public func responses(from answer: [UInt8]) throws(CallError) -> Responses {
            try results(from: answer).responses()
        }

        public func responses(from answer: JSONValue) throws(CallError) -> Responses {
            try responses(from: answer.bytes)
        }
    }

    /// A batch of a list of requests of any types. Each response is an `any Sendable`, which you cast to its type.
    public struct Mixed: Batch {
        public typealias Responses = [any Sendable]
        public typealias Results = [Result<any Sendable, CallError>]

        /// The requests, in order.
        public let requests: [any JSONRPCRequest]
        let composed: ComposedBatch

        public var message: RequestMessage { composed.message }
        public var bytes: [UInt8] { composed.bytes }

        public func results(from answer: [UInt8]) -> Results {
            zip(requests, composed.outcomes(from: answer)).map { $0.erasedOutcome(of: $1, using: composed.coder) }
        }

        public func results(from answer: JSONValue) -> Results { results(from: answer.bytes) }

        public func responses(from answer: [UInt8]) throws(CallError) -> Responses {
            try results(from: answer).responses()
        }

        public func responses(from answer: JSONValue) throws(CallError) -> Responses {
            try responses(from: answer.bytes)
        }
    }
}

extension Array {
    fileprivate func responses<Response>() throws(CallError) -> [Response]
    where Element == Result<Response, CallError> {
        try map { result throws(CallError) in try result.get() }
    }
}
