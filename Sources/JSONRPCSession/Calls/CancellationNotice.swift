// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// How the peer is told that a call was given up, by cancellation or timeout, and how it tells us so.
///
/// JSON-RPC has no word for it; protocols upon it have. A call whose request is still in the outbox is withdrawn, and
/// nothing is told.
public struct CancellationNotice: Sendable {
    /// The notification's method, and its params for a request id.
    let compose: @Sendable (RequestID) -> (method: String, params: RawJSON?)?
    /// The method by which the peer tells us, and the name of the param which holds the request id.
    let inbound: (method: String, param: String)?

    /// Nothing is told.
    public static let none = CancellationNotice(compose: { _ in nil }, inbound: nil)

    /// `$/cancelRequest` with `{"id":…}`, as in the Language Server Protocol.
    public static let cancelRequest = CancellationNotice(method: "$/cancelRequest", param: "id")

    /// `notifications/cancelled` with `{"requestId":…}`, as in the Model Context Protocol.
    public static let cancelled = CancellationNotice(method: "notifications/cancelled", param: "requestId")

    /// A notification with the request id as its one param by name, both ways.
    public init(method: String, param: String) {
        self.init(
            compose: { id in
                var params: [UInt8] = Array("{".utf8)
                JSONText.writeString(param, into: &params)
                params.append(UInt8(ascii: ":"))
                id.write(into: &params)
                params.append(UInt8(ascii: "}"))
                return (method, RawJSON(unchecked: params))
            },
            inbound: (method, param))
    }

    /// Any notification; nil for none. The closure is called in no particular task and must not block. The peer's own
    /// notices are not recognised.
    public init(_ compose: @escaping @Sendable (RequestID) -> (method: String, params: RawJSON?)?) {
        self.init(compose: compose, inbound: nil)
    }

    private init(
        compose: @escaping @Sendable (RequestID) -> (method: String, params: RawJSON?)?,
        inbound: (method: String, param: String)?
    ) {
        self.compose = compose
        self.inbound = inbound
    }
}
