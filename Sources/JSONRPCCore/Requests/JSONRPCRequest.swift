// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A request that knows the type of its response.
///
/// ```swift
/// struct Subtract: JSONRPCRequest {
///     typealias Response = Int
///     var minuend: Int, subtrahend: Int
///     var method: String { "subtract" }
///     var params: [Int] { [minuend, subtrahend] }
/// }
/// let difference = try await client.call(Subtract(minuend: 42, subtrahend: 23))
/// ```
///
/// A type whose ``Response`` is `Void` is a notification (JSON-RPC 2.0 §4.1): it is sent without an id, and nothing
/// is waited for. A call whose result does not matter has the response ``IgnoredResult`` instead.
///
/// The same type serves for single calls, for batches over a client, and for batches without any transport
/// (``BatchFactory``).
public protocol JSONRPCRequest<Response>: Sendable {
    /// What a successful call gives; `Void` makes the request a notification.
    associatedtype Response: Sendable
    /// What the params are encoded from. Left out, there are none.
    associatedtype Params: Encodable & Sendable = NoParams

    /// The method's name, as the peer knows it.
    var method: String { get }

    /// The params (JSON-RPC 2.0 §4.2): what encodes as a JSON array (by position: an array, ``ByPosition``) or as an
    /// object (by name: a `struct`, ``ByName``, a dictionary). What encodes as `null`, an optional that is nil
    /// included, is left out of the message.
    var params: Params { get }

    /// Members beside `params` for this request alone; none unless it is implemented.
    var extraMembers: ExtraMembers { get }

    /// Whether the request is sent as a notification.
    static var isNotification: Bool { get }

    /// Makes the response of a result. Implemented already where ``Response`` is `Decodable`, and never called for a
    /// notification.
    ///
    /// What it throws fails this one call, with ``ClientError/Code/decodingFailed``; an `ErrorObject` or a
    /// `ClientError` goes through as it is.
    func response(from result: RawJSON, using coder: any MessageCoder) throws -> Response
}

/// A notification (JSON-RPC 2.0 §4.1): a request that has no id, and to which the peer does not reply.
public protocol JSONRPCNotification: JSONRPCRequest where Response == Void {}

extension JSONRPCRequest {
    public var extraMembers: ExtraMembers { ExtraMembers() }

    /// True when ``Response`` is `Void`: there is nothing to answer.
    public static var isNotification: Bool { Response.self == Void.self }
}

extension JSONRPCRequest where Params == NoParams {
    public var params: NoParams { NoParams() }
}

extension JSONRPCRequest where Response: Decodable {
    public func response(from result: RawJSON, using coder: any MessageCoder) throws -> Response {
        try coder.decode(Response.self, from: result)
    }
}

extension JSONRPCRequest where Response == Void {
    // Not `Void` in so many words: from that, the compiler would infer `Response` for other types.
    public func response(from result: RawJSON, using coder: any MessageCoder) throws -> Response { () }
}

/// No params: a request with these has no `params` member.
public struct NoParams: Encodable, Sendable, Hashable {
    public init() {}

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

/// The response of a call that is waited for, and whose result does not matter, whatever it is.
public struct IgnoredResult: Decodable, Sendable, Hashable {
    public init() {}

    public init(from decoder: any Decoder) throws {}
}
