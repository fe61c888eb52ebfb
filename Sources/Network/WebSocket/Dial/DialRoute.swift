// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The way to a server.
enum DialRoute: Sendable, Hashable {
    case unixSocket(path: String)
    case direct(host: URLHost, port: UInt16)
    /// A connection to the proxy, which then connects to the host.
    case proxy(HTTPProxy, host: URLHost, port: UInt16)
}
