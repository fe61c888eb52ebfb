// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// One request. On the wire it is an object, and so should be its answer; an array is read as well.
public struct SingleBatch<Request: JSONRPCRequest>: Batch {
    public typealias Responses = Request.Response
    public typealias Results = Result<Request.Response, CallError>

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

/// Two or more requests, each of its own type.
public struct TypedBatch<each Request: JSONRPCRequest>: Batch {
    public typealias Responses = (repeat (each Request).Response)
    public typealias Results = (repeat Result<(each Request).Response, CallError>)

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

    /// Reads an answer.
    ///
    /// - Throws: the ``CallError`` of the first request, in their order, that has failed.
    public func responses(from answer: [UInt8]) throws(CallError) -> (repeat (each Request).Response) {
        let results = results(from: answer)
        return (repeat try (each results).get())
    }

    /// Reads an answer that was parsed before.
    ///
    /// - Throws: the ``CallError`` of the first request, in their order, that has failed.
    public func responses(from answer: JSONValue) throws(CallError) -> (repeat (each Request).Response) {
        try responses(from: answer.bytes)
    }

    /// Reads an answer that was parsed before.
    public func results(from answer: JSONValue) -> (repeat Result<(each Request).Response, CallError>) {
        results(from: answer.bytes)
    }
}

/// Any number of requests of one type.
public struct UniformBatch<Request: JSONRPCRequest>: Batch {
    public typealias Responses = [Request.Response]
    public typealias Results = [Result<Request.Response, CallError>]

    public let requests: [Request]
    let composed: ComposedBatch

    public var message: RequestMessage { composed.message }
    public var bytes: [UInt8] { composed.bytes }

    public func results(from answer: [UInt8]) -> Results {
        Request.outcomes(of: requests, came: composed.outcomes(from: answer), using: composed.coder)
    }

    public func results(from answer: JSONValue) -> Results { results(from: answer.bytes) }

    public func responses(from answer: [UInt8]) throws(CallError) -> Responses { try results(from: answer).responses() }

    public func responses(from answer: JSONValue) throws(CallError) -> Responses {
        try responses(from: answer.bytes)
    }
}

/// Any number of requests of any types. What they give comes as `any Sendable`, to be cast.
public struct MixedBatch: Batch {
    public typealias Responses = [any Sendable]
    public typealias Results = [Result<any Sendable, CallError>]

    public let requests: [any JSONRPCRequest]
    let composed: ComposedBatch

    public var message: RequestMessage { composed.message }
    public var bytes: [UInt8] { composed.bytes }

    public func results(from answer: [UInt8]) -> Results {
        zip(requests, composed.outcomes(from: answer)).map { $0.erasedOutcome(of: $1, using: composed.coder) }
    }

    public func results(from answer: JSONValue) -> Results { results(from: answer.bytes) }

    public func responses(from answer: [UInt8]) throws(CallError) -> Responses { try results(from: answer).responses() }

    public func responses(from answer: JSONValue) throws(CallError) -> Responses {
        try responses(from: answer.bytes)
    }
}

extension Array {
    /// The responses, or the first failure.
    fileprivate func responses<Response>() throws(CallError) -> [Response]
    where Element == Result<Response, CallError> {
        try map { result throws(CallError) in try result.get() }
    }
}
