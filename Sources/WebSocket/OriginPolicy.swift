// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The web pages that may connect to a listener.
///
/// A browser lets any page open a WebSocket to any address, also on the user's own machine, and sends the page's origin
/// in the `Origin` field (RFC 6455 §10.2). Other programs send none, so they are not concerned.
public enum OriginPolicy: Sendable, Hashable {
    /// No web page: a request with an `Origin` field is answered 403. The default.
    case noPages
    /// Pages of these origins, such as `https://app.example`. They are compared as they are written; `null` stands for
    /// pages without an origin, such as files.
    case only(Set<String>)
    /// Every page of the web: only for what anybody may see and do.
    case anyPage

    func allows(_ origin: String) -> Bool {
        switch self {
        case .noPages: false
        case .only(let origins): origins.contains(origin)
        case .anyPage: true
        }
    }
}
