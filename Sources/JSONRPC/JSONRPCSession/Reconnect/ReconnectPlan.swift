// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Decides whether a client makes another connection, and when.
///
/// It has no clock and no source of random numbers. ``ClientSupervisor`` passes it the time and the events.
struct ReconnectPlan: Sendable {
    /// The next step after a failed attempt or a lost connection.
    enum Step: Sendable, Equatable {
        /// The next attempt begins after this time.
        case retry(after: Duration)
        case end(EndReason)
    }

    /// The reason why the client makes no other attempt.
    enum EndReason: Sendable, Equatable {
        /// The policy does not ask for another attempt.
        case notWanted
        /// Another attempt would fail, too.
        case notRetryable
        case attemptsExhausted
        case timeExhausted
    }

    let policy: ReconnectPolicy
    /// The number of attempts in a row that failed, or led to a connection that was not stable.
    private(set) var failures = 0
    /// The end of the last stable connection, or the beginning of the first attempt.
    private var unstableSince: SessionTime
    /// The time between attempts since then. It counts for the policy's limit if the clock does not advance.
    private var waited = Duration.zero
    private var connectedAt: SessionTime?
    private var hasConnected = false

    init(_ policy: ReconnectPolicy, now: SessionTime) {
        self.policy = policy
        unstableSince = now
    }

    /// The number of the current or the next attempt, from 1.
    var attempt: Int { failures + 1 }

    /// Notes that the client is connected, and calls can be made.
    mutating func connected(now: SessionTime) {
        hasConnected = true
        connectedAt = now
    }

    /// Returns the step after a failed attempt. `share` is a random number from 0 to 1, for the time to wait.
    mutating func attemptFailed(now: SessionTime, isRetryable: Bool, retryAfter: Duration?, share: Double) -> Step {
        failures += 1
        switch policy.mode {
        case .never: return .end(.notWanted)
        case .onLoss: if !hasConnected { return .end(.notWanted) }
        case .always: break
        }
        guard isRetryable else { return .end(.notRetryable) }
        return next(now: now, retryAfter: retryAfter, share: share)
    }

    /// Returns the step after the end of a connection. `code` is the close code, if the peer closed the connection.
    mutating func connectionEnded(now: SessionTime, code: UInt16?, share: Double) -> Step {
        // A connection that ended at once was not stable, so a pause follows it, whatever the policy says.
        let stablePeriod = max(policy.stablePeriod, ReconnectPolicy.Backoff.floor)
        let lasted = connectedAt.map { now.duration(since: $0) >= stablePeriod } ?? false
        connectedAt = nil
        if lasted {
            failures = 0
            unstableSince = now
            waited = .zero
        } else {
            failures += 1
        }
        switch policy.mode {
        case .never: return .end(.notWanted)
        case .onLoss: if code == 1000 || code == 1008 { return .end(.notWanted) }
        case .always: break
        }
        return next(now: now, retryAfter: nil, share: share)
    }

    private mutating func next(now: SessionTime, retryAfter: Duration?, share: Double) -> Step {
        if let maximum = policy.maximumAttempts, failures >= maximum { return .end(.attemptsExhausted) }
        let delay = policy.backoff.delay(failures: failures, retryAfter: retryAfter, share: share)
        let passed = max(now.duration(since: unstableSince), waited)
        if let maximum = policy.maximumTime, passed + delay > maximum { return .end(.timeExhausted) }
        waited += delay
        return .retry(after: delay)
    }
}
