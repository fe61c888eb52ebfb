// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
public import HTTPTypes
public import JSONRPCCore

/// Options of a ``JSONRPCHTTPClient`` that concern HTTP. Timeouts of calls, ids, interceptors, the limits of explicit
/// batches and the reaction to irregular answers are in `SessionConfiguration`.
public struct JSONRPCHTTPOptions: Sendable {
    // MARK: Requests

    /// Header fields of every POST. They replace the client's own fields of the same name. The default is none.
    public var headerFields = HTTPFields()
    /// A closure that changes the head of each POST before it is sent, for example to add a fresh token. It runs once
    /// for each attempt, within the timeout of the calls. If it throws, the calls fail with the delivery `notSent`. The
    /// default is `nil`.
    public var prepare: (@Sendable (inout HTTPRequest) async throws -> Void)?
    /// The value of `Content-Type`. The default is `application/json`.
    public var contentType = "application/json"
    /// The value of `Accept`. The default is `application/json, application/json-rpc`.
    public var accept = "application/json, application/json-rpc"
    /// The limit for resolving the name, connecting, and the TLS handshake; `nil` for no limit. The default is
    /// 10 seconds.
    public var connectTimeout: Duration? = .seconds(10)
    /// The maximum number of POSTs in flight. Further POSTs wait in order and can be cancelled. The default is 64.
    /// Values below 1 are raised to 1.
    ///
    /// The client uses fewer if the server refuses or closes connections while others are in use. POSTs that were not
    /// sent because of that are then sent. ``retry`` decides about the others.
    public var maximumRequestsInFlight = 64
    /// The maximum number of POSTs that wait. The calls of a further POST fail with
    /// ``JSONRPCHTTPError/tooManyWaiting(limit:)`` and the delivery `notSent`. The default is 65 536.
    public var maximumWaitingRequests = 65_536
    /// The rules by which bodies are compressed with gzip. The default is `nil`: bodies are not compressed.
    public var compression: RequestCompression?
    /// A limit of the rate of calls. The default is `nil`, no limit.
    public var rateLimit: CallRateLimit?
    /// Whether identical calls share one request while it is in flight. The default is `false`.
    ///
    /// Calls are identical if their methods, params, extra members, header fields and timeouts are equal. Only
    /// idempotent calls take part: `JSONRPCRequest.isIdempotent`, `CallOptions.isIdempotent` or
    /// ``MemberRetryPolicy/isIdempotent`` must be `true`. Each gets the result or the error. A cancelled call ends at once,
    /// and the request is cancelled with its last call. The timeout begins with the first call. Members of batches do
    /// not take part.
    public var sharesIdenticalCalls = false

    // MARK: Answers

    /// The maximum number of bytes of an answer, after decompression. A longer answer is not read to its end, and calls
    /// without a response before the limit fail with ``JSONRPCHTTPError/answerTooLarge(_:limit:)``. The default is
    /// 10 MiB.
    public var maximumAnswerBytes = 10 << 20

    // MARK: Batches

    /// The rules by which single calls that are made close together share a POST. The default is `nil`: each call is a
    /// POST of its own.
    public var gathering: CallGathering?
    /// The division of batches and of gathered calls into concurrent POSTs. The default is `nil`: a batch is one POST,
    /// and the POSTs of a batch beyond the limits are sent one after the other.
    public var batchConcurrency: BatchConcurrency?
    /// Whether a batch of one member is sent as an object. The default is `true`, because some servers accept no
    /// arrays.
    public var sendsSingleAsObject = true
    /// Whether a batch that the server rejects because of its size is divided and sent again. That is the case for the
    /// status 413 (RFC 9110 §15.5.14), and for errors that ``isBatchRejection`` recognizes. The client then remembers a
    /// smaller limit, and raises it slowly. The server has processed no member of a rejected batch, so all members are
    /// sent again. The default is `true`.
    ///
    /// A server without batches answers the first one with a parse error, an invalid request, another status, a text,
    /// or by closing the connection. The client then sends one member alone. If that is answered, it sends all others
    /// alone, too, and makes no further batches. Except after the two errors, only idempotent members are sent again.
    public var dividesRejectedBatches = true
    /// Returns whether an error rejects a batch as a whole because of its size, or because it is a batch. It is called
    /// with an error for the whole batch, and with errors of members that have the code -32600: the batch is rejected
    /// if the closure recognizes the errors of all members. The default returns `true` if the error's message contains
    /// the word "batch".
    public var isBatchRejection: @Sendable (ErrorObject) -> Bool = { $0.message.lowercased().contains("batch") }
    /// Returns whether an error of one member says that the answer to the batch became too large. Such members are sent
    /// again, each in a POST of its own, if they are idempotent. The default recognizes the code -32003 with a message
    /// that contains "too large".
    public var isAnswerTooLarge: @Sendable (ErrorObject) -> Bool = {
        $0.code.rawValue == -32003 && $0.message.lowercased().contains("too large")
    }
    /// The rules by which members are sent again after a failure. The default is `nil`: failures are not repeated.
    public var retry: MemberRetryPolicy?

    // MARK: Observation

    /// A closure that gets an event for each POST, retry and irregular answer. It runs in the task that sends the POST,
    /// and must return quickly. The default is `nil`.
    public var observe: (@Sendable (JSONRPCHTTPEvent) -> Void)?

    public init() {}
}

/// The rules by which single calls that are made close together share a POST.
///
/// The first call opens a window. Calls wait until the window ends or a limit is reached. Calls with different header
/// fields, timeouts or task priorities are in different POSTs. Batches and notifications do not wait.
///
/// A cancelled call ends at once, and the other calls of its POST go on. The POST is cancelled when all its calls were
/// cancelled. The time in the window counts for the timeout.
///
/// A call has its result as soon as its part of the answer has arrived, but most servers answer a batch when its
/// slowest call has ended. Over HTTP/2, where many POSTs share a connection, ``JSONRPCHTTPOptions/batchConcurrency``
/// can be faster.
public struct CallGathering: Sendable {
    /// The time that the first call waits for others. The default is zero: it waits for one turn of the executor, and
    /// no timer is used.
    public var window = Duration.zero
    /// The maximum number of calls in one POST. The default is 100. Values below 1 are raised to 1.
    public var maximumMembers = 100
    /// The maximum number of bytes of one POST. A larger call is sent alone. The default is 1 MiB.
    public var maximumBytes = 1 << 20
    /// Returns whether calls of a method are sent alone and at once. The default returns `false`.
    public var sendsAlone: @Sendable (_ method: String) -> Bool = { _ in false }

    public init(window: Duration = .zero, maximumMembers: Int = 100, maximumBytes: Int = 1 << 20) {
        self.window = window
        self.maximumMembers = maximumMembers
        self.maximumBytes = maximumBytes
    }
}

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
    /// `SessionConfiguration.calls.batchLimits`, stay in force. The default is 1. Values below 1 are raised to 1.
    public var maximumMembers: Int
    /// The maximum number of POSTs of one batch that are in flight at the same time. The default is 16. Values below 1
    /// are raised to 1.
    public var maximumRequests: Int

    public init(maximumMembers: Int = 1, maximumRequests: Int = 16) {
        self.maximumMembers = maximumMembers
        self.maximumRequests = maximumRequests
    }
}

/// A limit of the rate of a client's calls, as a bucket of tokens.
///
/// ```swift
/// options.rateLimit = CallRateLimit(HTTPRateLimit(25, per: .seconds(1)))
/// ```
///
/// Each POST takes tokens, even if it repeats calls. POSTs wait in order until there are enough. The wait counts for
/// the timeout of the calls, and a call that times out or is cancelled there was not sent. Its tokens are lost.
public struct CallRateLimit: Sendable {
    /// The size of the bucket, and the rate at which tokens come back.
    public var limit: HTTPRateLimit
    /// Returns the number of tokens that a POST takes. It may exceed the size of the bucket. The default is the number
    /// of members. A service that counts POSTs needs `{ _ in 1 }`, and a service with a price for each method their
    /// sum.
    public var cost: @Sendable (_ methods: [String]) -> Int = { $0.count }

    /// Makes a limit that counts calls and notifications.
    public init(_ limit: HTTPRateLimit) { self.limit = limit }
}
