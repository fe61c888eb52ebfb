// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests

/// A limit of the rate of a client's calls, as a bucket of tokens.
///
/// ```swift
/// options.rateLimit = CallRateLimit(HTTPRateLimit(25, per: .seconds(1)))
/// ```
///
/// Each POST takes tokens, also when it is an attempt to repeat calls. POSTs wait in order until there are enough. The
/// time counts for the timeout of the calls, and a call that times out or is cancelled there was not sent. Its tokens are
/// lost.
public struct CallRateLimit: Sendable {
    /// The size of the bucket, and the rate at which tokens come back.
    public var limit: HTTPRateLimit
    /// Returns the number of tokens that a POST takes. It may exceed the size of the bucket. The default is the number of
    /// members. A service that counts POSTs needs `{ _ in 1 }`, and a service with a price for each method their sum.
    public var cost: @Sendable (_ methods: [String]) -> Int = { $0.count }

    /// Makes a limit that counts calls and notifications.
    public init(_ limit: HTTPRateLimit) { self.limit = limit }
}
