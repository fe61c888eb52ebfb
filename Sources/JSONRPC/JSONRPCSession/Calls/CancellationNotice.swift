// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// The notification that tells the other side that a call was cancelled or timed out.
///
/// JSON-RPC defines no such notification, but protocols based on it do. If the request of a cancelled call is still in
/// the outbox, the session removes it and sends no notice.
public struct CancellationNotice: Sendable {
    /// Returns the method and the params of the notification for a request id.
    let compose: @Sendable (RequestID) -> (method: String, params: RawJSON?)?
    /// The method of the peer's notices, and the name of the param that holds the request id.
    let inbound: (method: String, param: String)?
    /// Whether the peer must answer a cancelled call.
    let expectsResponse: Bool

    /// The default: no notice.
    public static let none = CancellationNotice(compose: { _ in nil }, inbound: nil, expectsResponse: false)

    /// `$/cancelRequest` with `{"id":…}`, as in the Language Server Protocol, which requires a response to a cancelled
    /// request. So late responses are counted in ``DuplexSession/irregularityCounts`` and not reported as events.
    public static let cancelRequest = CancellationNotice(
        method: "$/cancelRequest", param: "id", expectsResponse: true)

    /// `notifications/cancelled` with `{"requestId":…}`, as in the Model Context Protocol.
    public static let cancelled = CancellationNotice(method: "notifications/cancelled", param: "requestId")
}

extension CancellationNotice {
    /// Makes a notice with the request id as its only param, by name. The peer's notices have the same form.
    ///
    /// - Parameters:
    ///   - method: The name of the notification's method.
    ///   - param: The name of the param that holds the request id.
    ///   - expectsResponse: Whether the protocol requires a response to a cancelled call. If it does, a late response
    ///     is not reported as an event. The default is `false`.
    public init(method: String, param: String, expectsResponse: Bool = false) {
        self.init(
            compose: { id in (method, RawJSON(members: [(param, RawJSON(literal: "\(id)"))])) },
            inbound: (method, param), expectsResponse: expectsResponse)
    }

    /// Makes a notice of any form. The peer's notices are not recognized.
    ///
    /// - Parameter compose: Returns the method and the params of the notice for a request id, or `nil` to send none. It
    ///   is called in any task and must not block.
    public init(_ compose: @escaping @Sendable (RequestID) -> (method: String, params: RawJSON?)?) {
        self.init(compose: compose, inbound: nil, expectsResponse: false)
    }
}
