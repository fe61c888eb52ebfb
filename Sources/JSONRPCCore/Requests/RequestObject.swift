// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// One request or notification as data (JSON-RPC 2.0 §4).
public struct RequestObject: Sendable, Hashable {
    /// Nil for a notification.
    public var id: RequestID?
    public var method: String
    /// An array or an object; nil for none.
    public var params: RawJSON?
    /// Members beside `params`.
    public var extraMembers: ExtraMembers

    public init(
        id: RequestID?, method: String, params: RawJSON? = nil, extraMembers: ExtraMembers = ExtraMembers()
    ) {
        self.id = id
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }

    /// True when there is nothing to answer.
    public var isNotification: Bool { id == nil }
}

/// What goes out as one message.
public enum RequestMessage: Sendable, Hashable {
    /// One request or notification, written as an object.
    case single(RequestObject)
    /// Several, written as an array (JSON-RPC 2.0 §6). Never empty.
    case batch([RequestObject])

    /// The requests and notifications, in order.
    public var requests: [RequestObject] {
        switch self {
        case .single(let request): [request]
        case .batch(let requests): requests
        }
    }

    /// False when it holds notifications alone: then nothing comes back.
    public var expectsResponse: Bool {
        switch self {
        case .single(let request): !request.isNotification
        case .batch(let requests): requests.contains { !$0.isNotification }
        }
    }
}

/// One response as data (JSON-RPC 2.0 §5).
public struct ResponseObject: Sendable, Hashable {
    /// The id of the request that it answers. Nil for `null`: the peer could not read one of the requests, and does
    /// not say which.
    public var id: RequestID?
    /// The result, the peer's error, or why the response cannot be used.
    public var outcome: Result<RawJSON, CallError>

    public init(id: RequestID?, outcome: Result<RawJSON, CallError>) {
        self.id = id
        self.outcome = outcome
    }
}

extension EnvelopeWriter {
    /// A whole message.
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
            let tail = requestTail(method: request.method, params: request.params, extra: request.extraMembers)
            appendRequest(id: id, tail: tail, to: &bytes)
        } else {
            appendNotification(
                method: request.method, params: request.params, extra: request.extraMembers, to: &bytes)
        }
    }
}
