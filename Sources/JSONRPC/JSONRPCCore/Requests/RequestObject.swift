// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// One request or notification as data (JSON-RPC 2.0 §4).
public struct RequestObject: Sendable, Hashable {
    /// The id. `nil` for a notification.
    public var id: RequestID?
    /// The name of the method.
    public var method: String
    /// An array or an object. `nil` for no params.
    public var params: RawJSON?
    /// Members beside `params`.
    public var extraMembers: ExtraMembers

    /// Makes a request, or a notification if `id` is `nil`.
    public init(
        id: RequestID?, method: String, params: RawJSON? = nil, extraMembers: ExtraMembers = ExtraMembers()
    ) {
        self.id = id
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }

    /// Whether this is a notification, to which the peer does not reply.
    public var isNotification: Bool { id == nil }

    /// Returns the request as a JSON object, in UTF-8.
    ///
    /// - Parameter version: Whether the request has a `jsonrpc` member. The default is yes.
    public func bytes(version: VersionMember.Outbound = .sent) -> [UInt8] {
        EnvelopeWriter(version: version).bytes(of: .single(self))
    }
}

/// A message to the peer: one request or notification, or several in an array.
public enum RequestMessage: Sendable, Hashable {
    /// One request or notification, written as an object.
    case single(RequestObject)
    /// Several requests and notifications, written as an array (JSON-RPC 2.0 §6). It is never empty.
    case batch([RequestObject])

    /// The requests and notifications, in order.
    public var requests: [RequestObject] {
        switch self {
        case .single(let request): [request]
        case .batch(let requests): requests
        }
    }

    /// Whether the peer replies. It is `false` for a message of notifications alone.
    public var expectsResponse: Bool {
        switch self {
        case .single(let request): !request.isNotification
        case .batch(let requests): requests.contains { !$0.isNotification }
        }
    }

    /// Returns the message as JSON, in UTF-8: an object for a single request, an array for a batch.
    ///
    /// - Parameter version: Whether each request has a `jsonrpc` member. The default is yes.
    public func bytes(version: VersionMember.Outbound = .sent) -> [UInt8] {
        EnvelopeWriter(version: version).bytes(of: self)
    }
}

/// One response as data (JSON-RPC 2.0 §5).
public struct ResponseObject: Sendable, Hashable {
    /// The id of the request that it answers. `nil` stands for the id `null`: the peer could not read a request, and
    /// does not identify it.
    public var id: RequestID?
    /// The result, the peer's error, or the reason why the response cannot be used.
    public var outcome: Result<RawJSON, CallError>

    /// The result. `nil` for an error.
    public var result: RawJSON? { try? outcome.get() }

    /// The peer's error. `nil` for a result, and for a response that cannot be used.
    public var error: ErrorObject? {
        if case .failure(.answered(let error)) = outcome { error } else { nil }
    }

    public init(id: RequestID?, outcome: Result<RawJSON, CallError>) {
        self.id = id
        self.outcome = outcome
    }
}

extension EnvelopeWriter {
    package func bytes(of message: RequestMessage) -> [UInt8] {
        var bytes: [UInt8] = []
        switch message {
        case .single(let request): append(request, to: &bytes)
        case .batch(let requests):
            for request in requests {
                bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ","))
                append(request, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
        return bytes
    }

    private func append(_ request: RequestObject, to bytes: inout [UInt8]) {
        if let id = request.id {
            beginRequest(id: id, &bytes)
            appendRequestTail(
                method: request.method, params: request.params, extra: request.extraMembers, to: &bytes)
        } else {
            appendNotification(
                method: request.method, params: request.params, extra: request.extraMembers, to: &bytes)
        }
    }
}
