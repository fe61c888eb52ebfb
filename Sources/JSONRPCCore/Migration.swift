// swift-jsonrpc · SPDX-License-Identifier: MIT

// The names of JSONRPCKit 3.0, and of its first draft with `CallBatchFactory`. None can be used: each only says what
// stands for it here. An unavailable name does not collide with one that another module declares.

// MARK: Requests

@available(*, unavailable, renamed: "JSONRPCRequest")
public typealias Request = JSONRPCRequest

@available(*, unavailable, renamed: "JSONRPCRequest")
public typealias RequestType = JSONRPCRequest

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

    @available(*, unavailable, renamed: "create(_:)")
    public func create<First: JSONRPCRequest, each Other: JSONRPCRequest>(
        request1 first: First, _ others: repeat each Other
    ) throws -> TypedBatch<First, repeat each Other> {
        try create(first, repeat each others)
    }
}

extension Batch {
    @available(*, unavailable, renamed: "responses(from:)")
    public func responsesFromObject(_ object: Any) throws -> Responses { try responses(from: []) }

    @available(*, unavailable, renamed: "results(from:)")
    public func resultsFromObject(_ object: Any) -> Results { results(from: []) }
}

// MARK: Errors

/// An enumeration and not an alias, so that patterns with its cases are told about, too.
@available(
    *, unavailable,
    message: """
        use 'CallError': 'responseError' is '.answered(ErrorObject)', all others are '.failed(ClientError)', whose \
        'code' and 'irregularity' say which
        """
)
public enum JSONRPCError: Error {
    case responseError(code: Int, message: String, data: (any Sendable)?)
    case responseNotFound(requestId: RequestID?, object: any Sendable)
    case resultObjectParseError(any Error)
    case errorObjectParseError(any Error)
    case unsupportedVersion(String?)
    case unexpectedTypeObject(any Sendable)
    case missingBothResultAndError(any Sendable)
    case nonArrayResponse(any Sendable)
}
