// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A maker of batches for a transport of your own. It is thread-safe.
///
/// The ids of one batch are consecutive. Notifications take no id, and if encoding fails, no id is taken. A batch of
/// one request is an object on the wire, not an array.
public final class BatchFactory: Sendable {
    /// The rules for the `jsonrpc` member.
    public let version: VersionMember
    /// The reactions to irregular responses.
    public let strictness: Strictness
    /// The coder of params and results.
    public let coder: any MessageCoder

    private let ids: SharedIDs
    private let writer: EnvelopeWriter
    private let reader: AnswerReader

    /// Makes a factory.
    ///
    /// - Parameters:
    ///   - version: The rules for the `jsonrpc` member of requests and responses. The default is
    ///     ``VersionMember/required``.
    ///   - idGenerator: Generates ids, which must be unique within a batch. The default is ``IDGenerator/numbers``.
    ///   - strictness: Decides which irregular responses are used. A factory has no events, so it reports none of them.
    ///     The default is ``Strictness/standard``.
    ///   - coder: Encodes params and decodes results. The default is ``WireJSONCoder``.
    ///   - jsonLimits: The maximum nesting of an answer. The default is 512.
    public init(
        version: VersionMember = .required, idGenerator: any IDGenerator = .numbers,
        strictness: Strictness = .standard, coder: any MessageCoder = .wireJSON, jsonLimits: JSONLimits = JSONLimits()
    ) {
        self.version = version
        self.strictness = strictness
        self.coder = coder
        ids = SharedIDs(idGenerator)
        writer = EnvelopeWriter(version: version.outbound)
        reader = AnswerReader(strictness: strictness, version: version.inbound, limits: jsonLimits)
    }

    /// Makes a batch of one request, which is an object on the wire.
    ///
    /// - Throws: A ``ClientError`` with the code ``ClientError/Code/encodingFailed``.
    public func create<Request: JSONRPCRequest>(_ request: Request) throws -> BatchFactory.Single<Request> {
        BatchFactory.Single(request: request, composed: try compose([try draft(request)]))
    }

    /// Makes a batch of any number of requests of different types.
    ///
    /// - Throws: A ``ClientError`` with the code ``ClientError/Code/encodingFailed``,
    ///   ``ClientError/Code/requestIDInUse``, or ``ClientError/Code/emptyBatch`` if there are no requests.
    public func create<each Request: JSONRPCRequest>(
        _ requests: repeat each Request
    ) throws -> BatchFactory.Typed<repeat each Request> {
        var drafts: [Draft] = []
        for request in repeat each requests { drafts.append(try draft(request)) }
        return BatchFactory.Typed(repeat each requests, composed: try compose(drafts))
    }

    /// Makes a batch of any number of requests of one type.
    ///
    /// - Throws: A ``ClientError`` with the code ``ClientError/Code/encodingFailed``,
    ///   ``ClientError/Code/requestIDInUse``, or ``ClientError/Code/emptyBatch`` if there are no requests.
    public func create<Request: JSONRPCRequest>(
        _ requests: [Request]
    ) throws -> BatchFactory.Uniform<Request> {
        let drafts = try requests.map { try draft($0) }
        return BatchFactory.Uniform(requests: requests, composed: try compose(drafts))
    }

    /// Makes a batch of a list of requests of any types.
    ///
    /// - Throws: A ``ClientError`` with the code ``ClientError/Code/encodingFailed``,
    ///   ``ClientError/Code/requestIDInUse``, or ``ClientError/Code/emptyBatch`` if there are no requests.
    public func create(mixed requests: [any JSONRPCRequest]) throws -> BatchFactory.Mixed {
        let drafts = try requests.map { try draft($0) }
        return BatchFactory.Mixed(requests: requests, composed: try compose(drafts))
    }

    /// A request that has no id yet.
    private typealias Draft = (request: RequestObject, isNotification: Bool)

    private func draft<Request: JSONRPCRequest>(_ request: Request) throws(ClientError) -> Draft {
        let object = RequestObject(
            id: nil, method: request.method, params: try request.encodedParams(using: coder),
            extraMembers: request.extraMembers)
        return (object, Request.isNotification)
    }

    private func compose(_ drafts: [Draft]) throws -> ComposedBatch {
        let requests = try number(drafts)
        let message: RequestMessage
        switch requests.count {
        case 0:
            throw ClientError(
                .emptyBatch, "Could not make a batch without requests: JSON-RPC 2.0 §6 requires at least one.",
                delivery: .notSent)
        case 1: message = .single(requests[0])
        default: message = .batch(requests)
        }
        return ComposedBatch(message: message, bytes: writer.bytes(of: message), coder: coder, reader: reader)
    }

    private func number(_ drafts: [Draft]) throws -> [RequestObject] {
        let requests = ids.draw { ids in
            drafts.map { draft in
                var request = draft.request
                if !draft.isNotification { request.id = ids.next() }
                return request
            }
        }
        var taken: Set<RequestID> = []
        for request in requests {
            guard let id = request.id, !taken.insert(id).inserted else { continue }
            throw ClientError(
                .requestIDInUse, "Could not make the batch: the id generator returned the same id twice.",
                requestID: id, method: request.method, delivery: .notSent)
        }
        return requests
    }
}
