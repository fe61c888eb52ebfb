// swift-jsonrpc · SPDX-License-Identifier: MIT

extension WebSocketListener {
    /// The web pages that may connect to a listener.
    ///
    /// A browser lets every page open a WebSocket to every address, including the user's own machine. It sends the page's
    /// origin in the `Origin` field (RFC 6455 §10.2). The policy does not apply to other programs, which send no such
    /// field.
    public enum OriginPolicy: Sendable, Hashable {
        /// No web page: a request with an `Origin` field is answered with 403. This is the default.
        case noPages
        /// Pages with these origins, such as `https://app.example`. Origins are compared as text. `null` is the origin of
        /// pages without an origin, such as local files.
        case only(Set<String>)
        /// Every web page. Use this only for a service that every user of the web may see and use.
        case anyPage

        func allows(_ origin: String) -> Bool {
            switch self {
            case .noPages: false
            case .only(let origins): origins.contains(origin)
            case .anyPage: true
            }
        }
    }
}
