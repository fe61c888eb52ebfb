// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
public import WireJSON

/// Makes batches for a transport of the program's own, and gives out their ids. Any number of tasks may use it at
/// once.
///
/// The ids of one batch follow each other without a gap; a notification takes none. When encoding fails, no id is
/// taken. A batch of one request is an object on the wire, not an array.
public final class BatchFactory: Sendable {
    public let version: VersionMember
    public let strictness: Strictness
    public let coder: any MessageCoder

    private let ids: Mutex<IDSource>
    private let writer: EnvelopeWriter
    private let reader: AnswerReader

    /// - Parameters:
    ///   - version: whether requests have a `jsonrpc` member, and responses must.
    ///   - idGenerator: must not give the same id twice within a batch.
    ///   - strictness: which irregular responses are used nevertheless. There are no events: nothing is reported.
    ///   - coder: turns params into JSON, and results into values.
    ///   - jsonLimits: how deeply an answer may nest.
    public init(
        version: VersionMember = .required, idGenerator: any IDGenerator = .numbers,
        strictness: Strictness = .standard, coder: any MessageCoder = .wireJSON, jsonLimits: JSONLimits = JSONLimits()
    ) {
        self.version = version
        self.strictness = strictness
        self.coder = coder
        ids = Mutex(IDSource(idGenerator))
        writer = EnvelopeWriter(version: version.outbound)
        reader = AnswerReader(strictness: strictness, version: version.inbound, limits: jsonLimits)
    }

    /// Puts together one request, which makes an object on the wire.
    ///
    /// - Throws: a ``ClientError`` with the code ``ClientError/Code/encodingFailed``.
    public func create<Request: JSONRPCRequest>(_ request: Request) throws -> SingleBatch<Request> {
        SingleBatch(request: request, composed: try compose([try RequestDraft(request, using: coder)]))
    }

    /// Puts together any number of requests of different types.
    ///
    /// - Throws: a ``ClientError`` with the code ``ClientError/Code/encodingFailed`` or
    ///   ``ClientError/Code/requestIDInUse``, and with ``ClientError/Code/emptyBatch`` for no requests.
    public func create<each Request: JSONRPCRequest>(
        _ requests: repeat each Request
    ) throws -> TypedBatch<repeat each Request> {
        var drafts: [RequestDraft] = []
        for request in repeat each requests { drafts.append(try RequestDraft(request, using: coder)) }
        return TypedBatch(repeat each requests, composed: try compose(drafts))
    }

    /// Puts together any number of requests of one type.
    ///
    /// - Throws: as for requests of different types, and a ``ClientError`` with the code
    ///   ``ClientError/Code/emptyBatch`` for none.
    public func create<Request: JSONRPCRequest>(
        _ requests: [Request]
    ) throws -> UniformBatch<Request> {
        let drafts = try requests.map { try RequestDraft($0, using: coder) }
        return UniformBatch(requests: requests, composed: try compose(drafts))
    }

    /// Puts together a list of requests of any types.
    ///
    /// - Throws: as for requests of different types, and a ``ClientError`` with the code
    ///   ``ClientError/Code/emptyBatch`` for none.
    public func create(mixed requests: [any JSONRPCRequest]) throws -> MixedBatch {
        let drafts = try requests.map { try RequestDraft($0, using: coder) }
        return MixedBatch(requests: requests, composed: try compose(drafts))
    }

    private func compose(_ drafts: [RequestDraft]) throws -> ComposedBatch {
        let requests = try number(drafts)
        let message: RequestMessage
        switch requests.count {
        case 0: throw ClientError(.emptyBatch, "A batch has at least one member.", delivery: .notSent)
        case 1: message = .single(requests[0])
        default: message = .batch(requests)
        }
        return ComposedBatch(message: message, bytes: writer.bytes(of: message), coder: coder, reader: reader)
    }

    /// Gives the calls their ids.
    private func number(_ drafts: [RequestDraft]) throws -> [RequestObject] {
        let requests = ids.withLock { ids in
            drafts.map { $0.request(id: $0.isNotification ? nil : ids.next()) }
        }
        var taken: Set<RequestID> = []
        for request in requests {
            guard let id = request.id, !taken.insert(id).inserted else { continue }
            throw ClientError(
                .requestIDInUse, "The id generator gave one id twice.", requestID: id, method: request.method,
                delivery: .notSent)
        }
        return requests
    }
}

/// A request that has no id yet.
package struct RequestDraft: Sendable {
    package var method: String
    package var params: RawJSON?
    package var extraMembers: ExtraMembers
    package var isNotification: Bool

    /// - Throws: a ``ClientError`` with the code ``ClientError/Code/encodingFailed``.
    package init<Request: JSONRPCRequest>(_ request: Request, using coder: any MessageCoder) throws(ClientError) {
        method = request.method
        params = try request.encodedParams(using: coder)
        extraMembers = request.extraMembers
        isNotification = Request.isNotification
    }

    package func request(id: RequestID?) -> RequestObject {
        RequestObject(id: id, method: method, params: params, extraMembers: extraMembers)
    }
}
