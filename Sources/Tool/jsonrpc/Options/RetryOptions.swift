// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCHTTP

/// The options for failures that may pass.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Try again up to this many times, after growing pauses: to connect, and to send calls that were certainly "
                + "not processed (delivery not_sent, or HTTP status 429).", valueName: "times"))
    var retry = 0

    @Flag(
        help: ArgumentHelp(
            "With --retry, also send calls again whose outcome is unknown. Only for methods that can safely be "
                + "executed twice."))
    var idempotent = false

    func validate() throws {
        try OptionChecks.range("--retry", retry, 0...1000)
        if idempotent, retry == 0 { throw ValidationError("--idempotent needs --retry, which is missing.") }
    }

    /// The rules; `nil` to try once.
    var retries: Retries? { retry == 0 ? nil : Retries(maximum: retry, isIdempotent: idempotent) }
}

/// How often a command tries again. The library decides which failures may pass.
struct Retries: Equatable, Sendable {
    var maximum: Int
    /// Whether calls may be sent again that the peer may have executed.
    var isIdempotent: Bool

    /// The rules for WebSockets. `time` limits all attempts together.
    func reconnecting(within time: Duration?) -> ReconnectPolicy {
        var policy = ReconnectPolicy.always
        policy.maximumAttempts = maximum + 1
        policy.maximumRepetitions = maximum
        policy.maximumTime = time
        return policy
    }

    /// The rules for HTTP.
    var members: MemberRetryPolicy {
        var policy = MemberRetryPolicy()
        policy.maximumAttempts = maximum + 1
        policy.isIdempotent = { [isIdempotent] _ in isIdempotent }
        return policy
    }
}
