// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

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
}

extension BatchFactory {
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

        /// Returns the response to each request.
        ///
        /// - Throws: The ``CallError`` of the first request that failed, in the order of the requests.
        public func responses(from answer: [UInt8]) throws(CallError) -> (repeat (each Request).Response) {
            let results = results(from: answer)
            return (repeat try (each results).get())
        }

        /// Returns the response to each request, from an answer that is already parsed.
        ///
        /// - Throws: The ``CallError`` of the first request that failed, in the order of the requests.
        public func responses(from answer: JSONValue) throws(CallError) -> (repeat (each Request).Response) {
            try responses(from: answer.bytes)
        }

        /// Returns the outcome of each request, from an answer that is already parsed.
        public func results(from answer: JSONValue) -> (repeat Result<(each Request).Response, CallError>) {
            results(from: answer.bytes)
        }
    }
}

extension BatchFactory {
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
}

extension BatchFactory {
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
    /// Returns the responses, or throws the first failure.
    fileprivate func responses<Response>() throws(CallError) -> [Response]
    where Element == Result<Response, CallError> {
        try map { result throws(CallError) in try result.get() }
    }
}
