// swift-jsonrpc · SPDX-License-Identifier: MIT

// The names of JSONRPCKit 3.0, and of its draft with `CallBatchFactory`. All are unavailable: the compiler's message
// gives the new name. An unavailable name does not collide with a name that another module declares.

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

@available(*, unavailable, message: "A batch consists of RequestObject values: see Batch.message.")
public typealias BatchElement<Request: JSONRPCRequest> = SingleBatch<Request>

@available(*, unavailable, message: "A batch consists of RequestObject values: see Batch.message.")
public typealias Call<Request: JSONRPCRequest> = SingleBatch<Request>

extension BatchFactory {
    @available(*, unavailable, message: "Pass a VersionMember: .required sends and expects \"2.0\".")
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

/// The error type of JSONRPCKit. It is an enumeration and not an alias, so that the compiler also reports patterns with
/// its cases.
@available(
    *, unavailable,
    message: """
        use 'CallError': 'responseError' is '.answered(ErrorObject)', all others are '.failed(ClientError)', whose \
        'code' and 'irregularity' give the reason
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
