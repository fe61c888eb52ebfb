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
/// A request whose ``Response`` is `Void` is a call whose result is ignored: the call waits for the response, and
/// throws if the response is an error. To send a notification, conform to ``JSONRPCNotification``.
///
/// The same type works in single calls, in batches over a client, and in batches without a transport
/// (``BatchFactory``).
///
/// The compiler refuses members that a request would not use: a property `params` whose type is not `Encodable` and
/// `Sendable`, properties `extraMembers`, `timeout` and `isIdempotent` that are not of the types ``ExtraMembers``,
/// ``CallTimeout`` and `Bool`, and a property `parameters` of a request without `params`.
public protocol JSONRPCRequest<Response>: Sendable, _RequestDeclaration {
    /// The value that a successful call returns. `Void` ignores the result.
    associatedtype Response: Sendable
    /// The type that the params are encoded from. The default is ``NoParams``.
    associatedtype Params: Encodable & Sendable = NoParams

    /// The name of the method on the wire.
    var method: String { get }

    /// The params (JSON-RPC 2.0 §4.2).
    ///
    /// Params by position encode as a JSON array: use an array or ``ByPosition``. Params by name encode as a JSON
    /// object: use a `struct`, ``ByName`` or a dictionary. Params that encode as `null`, such as an optional that is
    /// `nil`, are left out of the message. For all other params, the call throws ``ClientError/Code/encodingFailed``
    /// and sends nothing.
    ///
    /// The default is ``NoParams``.
    var params: Params { get }

    /// Members beside `params`, for this request alone. The default is none.
    var extraMembers: ExtraMembers { get }

    /// The limit for a call of the request, if the caller passes none. The default is ``CallTimeout/default``.
    ///
    /// It applies to `call(_:)` and `result(of:)`. Batches and calls of many requests have one limit for all of them,
    /// and notifications have none.
    var timeout: CallTimeout { get }

    /// Whether the request can safely be sent twice. Callers and interceptors that retry calls check it. The default is
    /// `false`.
    var isIdempotent: Bool { get }

    /// Whether the request is sent as a notification. ``JSONRPCNotification`` implements it; do not implement it
    /// yourself.
    static var isNotification: Bool { get }

    /// Makes the response from a result. The default implementations decode a ``Response`` that is `Decodable`, and
    /// ignore the result if ``Response`` is `Void`. The function is not called for notifications.
    ///
    /// An error that it throws fails this call alone, with ``ClientError/Code/decodingFailed``. An `ErrorObject` or a
    /// `ClientError` is passed on unchanged.
    func response(from result: RawJSON, using coder: any MessageCoder) throws -> Response
}

/// A notification (JSON-RPC 2.0 §4.1): a request that has no id, and to which the peer does not reply.
///
/// ```swift
/// struct Log: JSONRPCNotification {
///     var line: String
///     var method: String { "log" }
///     var params: [String] { [line] }
/// }
/// try await client.call(Log(line: "started"))
/// ```
///
/// Notifications get no reply, so success only means that the message was sent.
public protocol JSONRPCNotification: JSONRPCRequest where Response == Void {}

extension JSONRPCRequest {
    public static var isNotification: Bool { false }
}

extension JSONRPCNotification {
    public static var isNotification: Bool { true }
}

extension JSONRPCRequest where Response: Decodable {
    public func response(from result: RawJSON, using coder: any MessageCoder) throws -> Response {
        try coder.decode(Response.self, from: result)
    }
}

extension JSONRPCRequest where Response == Void {
    // The return type is not written as `Void`, because the compiler would infer `Response` from it for other types.
    public func response(from result: RawJSON, using coder: any MessageCoder) throws -> Response { () }
}

/// The params of a request without a `params` member.
///
/// In the handler of a method, the type accepts absent params, `null`, `[]` and `{}`.
public struct NoParams: Codable, Sendable, Hashable {
    /// Makes empty params.
    public init() {}

    /// Accepts `null`, an empty array and an empty object.
    ///
    /// - Throws: A `DecodingError` for all other values.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.unkeyedContainer() {
            if container.isAtEnd { return }
        } else if let container = try? decoder.container(keyedBy: AnyCodingKey.self) {
            if container.allKeys.isEmpty { return }
        } else if try decoder.singleValueContainer().decodeNil() {
            return
        }
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "The method has no params, but some were sent."))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
