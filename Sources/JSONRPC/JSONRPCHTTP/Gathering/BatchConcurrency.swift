// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The division of each batch, and of calls that were gathered, into POSTs that are in flight at the same time.
///
/// ```swift
/// options.batchConcurrency = BatchConcurrency(maximumMembers: 1, maximumRequests: 16)
/// ```
///
/// The answer to an array is as slow as its slowest member. In small POSTs, a slow member delays fewer others. Over
/// HTTP/2 the POSTs share a connection. Over HTTP/1.1 each POST in flight needs a connection of its own.
///
/// Results have the types and the order of the batch. A POST that fails concerns its own members only. The server gets
/// the members in no particular order, as JSON-RPC 2.0 §6 allows for the members of an array, and this includes
/// notifications. ``JSONRPCHTTPOptions/maximumRequestsInFlight`` and ``JSONRPCHTTPOptions/rateLimit`` apply as well.
public struct BatchConcurrency: Sendable, Hashable {
    /// The maximum number of members in one POST. Smaller limits, such as those of
    /// `SessionConfiguration.batchLimits`, stay in force. The default is 1. Values below 1 are raised to 1.
    public var maximumMembers: Int
    /// The maximum number of POSTs of one batch that are in flight at the same time. The default is 16. Values below 1
    /// are raised to 1.
    public var maximumRequests: Int

    /// Makes a division.
    public init(maximumMembers: Int = 1, maximumRequests: Int = 16) {
        self.maximumMembers = maximumMembers
        self.maximumRequests = maximumRequests
    }
}
