// swift-jsonrpc · SPDX-License-Identifier: MIT

import AsyncHTTPClientTransport
import HTTPRequests
import JSONRPCHTTP
import URLSessionTransport

/// One way to make an exchange with the server.
struct Way: Sendable {
    let exchange: @Sendable () async throws -> Void

    /// The exchange after a sleep.
    private func after(_ pause: Duration) -> Way {
        Way {
            try await Task.sleep(for: pause)
            try await exchange()
        }
    }

    /// The ways by name. `url` has no path.
    static func named(_ name: String, url: String) throws -> Way? {
        switch name {
        case "raw-get": try RawExchanges(url: url).get
        case "raw-post": try RawExchanges(url: url).post
        case "raw-call": try RawExchanges(url: url).call
        case "untraced-get": try RawExchanges(url: url, isTraced: false).get
        case "untraced-post": try RawExchanges(url: url, isTraced: false).post
        case "transport-get": try transportGet(url, AsyncHTTPClientTransport.shared)
        case "get": try typedGet(url, AsyncHTTPClientTransport.shared)
        case "post": try typedPost(url, AsyncHTTPClientTransport.shared)
        case "call": call(url, AsyncHTTPClientTransport.shared)
        case "gathered-call": call(url, AsyncHTTPClientTransport.shared, CallGathering())
        case "gathered-call-1ms":
            call(url, AsyncHTTPClientTransport.shared, CallGathering(window: .milliseconds(1)))
        case "slept-call-1ms": call(url, AsyncHTTPClientTransport.shared).after(.milliseconds(1))
        case "url-session-get": try typedGet(url, URLSessionTransport())
        case "url-session-post": try typedPost(url, URLSessionTransport())
        case "url-session-call": call(url, URLSessionTransport())
        default: nil
        }
    }
}
