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
    /// True if the peer has to answer a call that it was told to cancel.
    let expectsResponse: Bool

    /// Nothing is told.
    public static let none = CancellationNotice(compose: { _ in nil }, inbound: nil, expectsResponse: false)

    /// `$/cancelRequest` with `{"id":…}`, as in the Language Server Protocol, which requires a response to a cancelled
    /// request. So late responses are counted in ``DuplexSession/irregularityCounts`` and not reported as events.
    public static let cancelRequest = CancellationNotice(
        method: "$/cancelRequest", param: "id", expectsResponse: true)

    /// `notifications/cancelled` with `{"requestId":…}`, as in the Model Context Protocol.
    public static let cancelled = CancellationNotice(method: "notifications/cancelled", param: "requestId")

    /// A notification with the request id as its one param by name, both ways.
    ///
    /// - Parameters:
    ///   - method: the notification's method.
    ///   - param: the name of the param that holds the request id.
    ///   - expectsResponse: whether the protocol requires a response to a cancelled call. Then a late response is not
    ///     irregular. The default is `false`.
    public init(method: String, param: String, expectsResponse: Bool = false) {
        self.init(
            compose: { id in
                var params: [UInt8] = Array("{".utf8)
                JSONText.writeString(param, into: &params)
                params.append(UInt8(ascii: ":"))
                id.write(into: &params)
                params.append(UInt8(ascii: "}"))
                return (method, RawJSON(unchecked: params))
            },
            inbound: (method, param), expectsResponse: expectsResponse)
    }

    /// Any notification; nil for none. The closure is called in no particular task and must not block. The peer's own
    /// notices are not recognised.
    public init(_ compose: @escaping @Sendable (RequestID) -> (method: String, params: RawJSON?)?) {
        self.init(compose: compose, inbound: nil, expectsResponse: false)
    }

    private init(
        compose: @escaping @Sendable (RequestID) -> (method: String, params: RawJSON?)?,
        inbound: (method: String, param: String)?, expectsResponse: Bool
    ) {
        self.compose = compose
        self.inbound = inbound
        self.expectsResponse = expectsResponse
    }
}
