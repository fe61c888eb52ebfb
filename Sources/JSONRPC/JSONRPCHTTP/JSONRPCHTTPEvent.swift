// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
public import JSONRPCCore

/// An event of a ``JSONRPCHTTPClient``, for logs and metrics.
public enum JSONRPCHTTPEvent: Sendable {
    /// A POST ended, with or without an answer.
    case posted(PostReport)
    /// An answer is irregular, and its other responses are used: it holds a response with an unknown id or without an
    /// id, a second response to one call, or a member that is not a response. `count` is the number of such members.
    case irregular(Irregularity, count: Int, HTTPAnswer)
    /// The server rejected a batch because of its size, or because it accepts no batches. The batch is divided, and
    /// later batches have at most `limit` members.
    case divided(members: Int, limit: Int)
    /// Members are sent again, after a delay. `attempt` is the number of the coming attempt.
    case retrying(members: Int, attempt: Int, delay: Duration)
}

/// The measurements of one POST.
public struct PostReport: Sendable, Hashable {
    /// The number of calls and notifications in the POST. It is 1 for a call that is sent alone.
    public var members: Int
    /// The bytes of the request's body, after compression; 0 if nothing was sent.
    public var sentBytes: Int
    /// The bytes of the answer's body; 0 without an answer.
    public var receivedBytes = 0
    /// The status; `nil` without an answer.
    public var status: HTTPResponse.Status?
    /// The number of calls without a response.
    public var missing = 0
    /// The number of this attempt. The first is 1.
    public var attempt: Int
    /// The time that the POST waited because of ``JSONRPCHTTPOptions/maximumRequestsInFlight`` and
    /// ``JSONRPCHTTPOptions/rateLimit``.
    public var waited = Duration.zero
    /// The time from the end of the wait to the end of the answer.
    public var duration = Duration.zero
}
