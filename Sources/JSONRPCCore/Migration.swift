// swift-jsonrpc · SPDX-License-Identifier: MIT

// The names of JSONRPCKit 3.0, and of its first draft with `CallBatchFactory`. None can be used: each only says what
// stands for it here. An unavailable name does not collide with one that another module declares.

// MARK: Requests

@available(*, unavailable, renamed: "JSONRPCRequest")
public typealias Request = JSONRPCRequest

@available(*, unavailable, renamed: "JSONRPCRequest")
public typealias RequestType = JSONRPCRequest

extension JSONRPCRequest {
    @available(*, unavailable, renamed: "params")
    public var parameters: Any? { nil }

    @available(*, unavailable, renamed: "extraMembers")
    public var extendedFields: [String: Any]? { nil }

    @available(*, unavailable, renamed: "response(from:using:)")
    public func response(from resultObject: Any) throws -> Response { try notified() }

    @available(*, unavailable, renamed: "response(from:using:)")
    public func responseFromResultObject(_ resultObject: Any) throws -> Response { try notified() }
}

// MARK: Ids

@available(*, unavailable, renamed: "RequestID")
public typealias Id = RequestID

@available(*, unavailable, renamed: "IDGenerator")
public typealias IdGenerator = IDGenerator

@available(*, unavailable, renamed: "IDGenerator")
public typealias IdGeneratorType = IDGenerator

@available(*, unavailable, renamed: "NumberIDGenerator")
public typealias NumberIdGenerator = NumberIDGenerator

// MARK: Batches

@available(*, unavailable, renamed: "BatchFactory")
public typealias CallBatchFactory = BatchFactory

@available(*, unavailable, renamed: "Batch")
public typealias CallBatchType = Batch

@available(*, unavailable, renamed: "SingleBatch")
public typealias Batch1<Request: JSONRPCRequest> = SingleBatch<Request>

@available(*, unavailable, renamed: "SingleBatch")
public typealias CallBatch<Request: JSONRPCRequest> = SingleBatch<Request>

@available(*, unavailable, renamed: "TypedBatch")
public typealias Batch2<each Request: JSONRPCRequest> = TypedBatch<repeat each Request>

@available(*, unavailable, renamed: "TypedBatch")
public typealias Batch3<each Request: JSONRPCRequest> = TypedBatch<repeat each Request>

@available(*, unavailable, renamed: "TypedBatch")
public typealias Batch4<each Request: JSONRPCRequest> = TypedBatch<repeat each Request>

@available(*, unavailable, renamed: "TypedBatch")
public typealias Batch5<each Request: JSONRPCRequest> = TypedBatch<repeat each Request>

@available(*, unavailable, renamed: "TypedBatch")
public typealias Batch6<each Request: JSONRPCRequest> = TypedBatch<repeat each Request>

@available(*, unavailable, renamed: "TypedBatch")
public typealias CallBatch2<each Request: JSONRPCRequest> = TypedBatch<repeat each Request>

@available(*, unavailable, renamed: "TypedBatch")
public typealias CallBatch3<each Request: JSONRPCRequest> = TypedBatch<repeat each Request>

@available(*, unavailable, message: "What goes out is a RequestObject: see Batch.message.")
public typealias BatchElement<Request: JSONRPCRequest> = SingleBatch<Request>

@available(*, unavailable, message: "What goes out is a RequestObject: see Batch.message.")
public typealias Call<Request: JSONRPCRequest> = SingleBatch<Request>

extension BatchFactory {
    @available(*, unavailable, message: "The version is a VersionMember: .required is \"2.0\".")
    public convenience init(version: String, idGenerator: any IDGenerator) { self.init(idGenerator: idGenerator) }

    @available(*, unavailable, renamed: "create(_:_:_:)")
    public func create<First: JSONRPCRequest, Second: JSONRPCRequest, each Other: JSONRPCRequest>(
        request1 first: First, _ second: Second, _ others: repeat each Other
    ) throws -> TypedBatch<First, Second, repeat each Other> {
        try create(first, second, repeat each others)
    }
}

extension Batch {
    @available(*, unavailable, message: "Pass the answer's bytes, or a JSONValue.")
    public func responses(from object: Any) throws -> Responses { try responses(from: []) }

    @available(*, unavailable, message: "Pass the answer's bytes, or a JSONValue.")
    public func results(from object: Any) -> Results { results(from: []) }

    @available(*, unavailable, renamed: "responses(from:)")
    public func responsesFromObject(_ object: Any) throws -> Responses { try responses(from: []) }

    @available(*, unavailable, renamed: "results(from:)")
    public func resultsFromObject(_ object: Any) -> Results { results(from: []) }
}

// MARK: Errors

@available(*, unavailable, renamed: "CallError")
public typealias JSONRPCError = CallError

extension CallError {
    @available(*, unavailable, message: "Use .answered, which holds an ErrorObject.")
    public static func responseError(code: Int, message: String, data: Any?) -> CallError { .cancelled }

    @available(*, unavailable, message: "Use .failed with the code .missingResponse.")
    public static func responseNotFound(requestId: RequestID?, object: Any) -> CallError { .cancelled }

    @available(*, unavailable, message: "Use .failed with the code .decodingFailed and a cause.")
    public static func resultObjectParseError(_ error: any Error) -> CallError { .cancelled }

    @available(*, unavailable, message: "Use .failed with the code .protocolViolation and an irregularity.")
    public static func errorObjectParseError(_ error: any Error) -> CallError { .cancelled }

    @available(*, unavailable, message: "Use .failed with the irregularity .wrongVersion or .missingVersion.")
    public static func unsupportedVersion(_ version: String?) -> CallError { .cancelled }

    @available(*, unavailable, message: "Use .failed with the irregularity .notAMessage.")
    public static func unexpectedTypeObject(_ object: Any) -> CallError { .cancelled }

    @available(
        *, unavailable, message: "Use .failed with the irregularity .neitherResultNorError or .bothResultAndError."
    )
    public static func missingBothResultAndError(_ object: Any) -> CallError { .cancelled }

    @available(*, unavailable, message: "One response to a batch is read as that; the others are .missingResponse.")
    public static func nonArrayResponse(_ object: Any) -> CallError { .cancelled }
}
