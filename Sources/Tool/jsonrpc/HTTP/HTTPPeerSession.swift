// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import TaskWaits
import ToolSupport

/// The calls of a command over HTTP: each message is a POST.
struct HTTPPeerSession: CallerSession {
    /// The largest number of POSTs in flight. Further POSTs wait.
    static let maximumPosts = 256

    let caller: any JSONRPCCaller
    let budget: TimeBudget?
    let isIdempotent: Bool
    private let context: CallFailure.Context
    private let trace: MessageTrace?
    private let unreachable = CancellableWait<CallFailure>()

    /// Makes a session. Nothing is sent.
    ///
    /// - Parameters:
    ///   - posts: The largest number of POSTs in flight, at most ``maximumPosts``.
    ///   - gathering: The rules by which calls share a POST; `nil` to send each by itself.
    ///   - retries: The rules for failures that may pass; `nil` to send each call once.
    init(
        _ url: String, _ options: ConnectionOptions, budget: TimeBudget?, posts: Int, gathering: CallGathering? = nil,
        retries: Retries? = nil
    ) throws {
        try options.checkForHTTP()
        let target = try HTTPTarget(url, options)
        let posts = min(max(1, posts), Self.maximumPosts)
        var transport = try HTTPSender.transport(to: target, options, connections: posts)
        trace = options.verbose ? MessageTrace(output: .diagnostics) : nil
        if let trace {
            OutputStream.follow(trace)
            transport = PostTrace(transport, trace, hiding: target.fields)
        }
        if let user = target.user { transport = DigestTransport(transport, user) }
        var session = try options.session()
        if let budget { session.calls.timeout = budget.rest }
        // The option --as-batch alone decides how long an array is.
        session.calls.batchLimits = .none
        var http = JSONRPCHTTPOptions()
        http.headerFields = target.fields
        http.connectTimeout = options.connectTimeout.duration
        http.maximumAnswerBytes = options.maxMessageSize
        http.maximumRequestsInFlight = posts
        http.maximumWaitingRequests = .max
        http.gathering = gathering
        http.retry = retries?.members
        // Of several POSTs in flight, it is not known which one is sent again.
        let latest = posts == 1 ? Watched<HTTPResponse.Status?>(nil) : nil
        http.observe = { event in
            switch event {
            case .posted(let report): latest?.update { $0 = report.status }
            case .retrying(_, let attempt, let delay):
                let reason = latest?.value.map { "was answered with status \($0.code)" } ?? "failed"
                let time = PeerReports.text(after: delay)
                OutputStream.diagnostics.say("jsonrpc: The POST \(reason). Attempt \(attempt) begins \(time).")
            default: break
            }
        }
        isIdempotent = retries?.isIdempotent ?? false
        caller = JSONRPCHTTPClient(url: target.url, over: transport, configuration: session, options: http)
        context = options.socket.failureContext(url)
        self.budget = budget
    }

    func failure(_ error: any Error) -> any Error {
        if error is CancellationError { return error }
        let failure = CallFailure(error, context)
        if failure.kind == .couldNotConnect { unreachable.resume(returning: failure) }
        return failure
    }

    /// Waits until a POST could not connect. There is no other end, because each POST may use a connection of its own.
    func connectionEnd() async -> CallFailure? { try? await unreachable.value() }

    /// Writes the rest of the trace. Idle connections end with the process.
    func close() { trace?.flush() }
}
