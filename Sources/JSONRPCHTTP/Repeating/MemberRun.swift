// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore
import JSONRPCSession
import Synchronization

/// Carries out members: divides them into POSTs, divides rejected batches further, and repeats members that failed.
///
/// The POSTs of one run are sent one after the other, in the order of the members.
struct MemberRun {
    typealias Outcome = Result<RawJSON, CallError>

    let poster: Poster
    let members: [EncodedMember]
    let fields: HTTPFields
    let deadline: SessionTime?
    /// The limits of one array, before the server's rejections lower them.
    let limits: BatchLimits
    /// Returns whether somebody waits for the outcome of a member. Other members are not sent.
    var isWaiting: (Int) -> Bool = { _ in true }

    /// A member that may be sent again.
    private struct Repeat {
        var index: Int
        var failure: CallError
        var asked: Duration?
    }

    /// Runs until every call has an outcome.
    ///
    /// - Parameter settle: Gets the index and the outcome of each call, and of each notification that was not sent.
    func run(settle: (Int, Outcome) -> Void) async {
        var indices = Array(members.indices)
        var attempt = 1
        while true {
            let again = await send(indices, attempt: attempt, settle)
            guard !again.isEmpty else { return }
            guard let delay = delay(again, attempt: attempt + 1) else {
                for member in again { settle(member.index, .failure(member.failure)) }
                return
            }
            poster.options.observe?(.retrying(members: again.count, attempt: attempt + 1, delay: delay))
            guard await poster.clock.isReached(poster.clock.now.advanced(by: delay)) else {
                for member in again { settle(member.index, .failure(Task.isCancelled ? .cancelled : member.failure)) }
                return
            }
            indices = again.map(\.index).sorted()
            attempt += 1
        }
    }

    /// Returns the delay before the next attempt; `nil` if the members should not be sent again.
    private func delay(_ again: [Repeat], attempt: Int) -> Duration? {
        guard let policy = poster.options.retry, attempt <= policy.maximumAttempts else { return nil }
        let delay = policy.delay(before: attempt, asked: again.compactMap(\.asked).max())
        if let deadline, poster.clock.now.advanced(by: delay) >= deadline { return nil }
        return delay
    }

    // MARK: One attempt

    /// Sends members. Returns the members that may be sent again after a delay.
    private func send(_ indices: [Int], attempt: Int, _ settle: (Int, Outcome) -> Void) async -> [Repeat] {
        var again: [Repeat] = []
        // The arrays that are still to be sent, the next one last.
        var arrays = Array(divided(indices).reversed())
        var alone: [Int] = []
        while let array = arrays.popLast() ?? alone.popLast().map({ [$0] }) {
            let open = array.filter(isWaiting)
            if open.isEmpty { continue }
            // Another run may have learned a smaller limit since the arrays were made.
            if open.count > 1, open.count > poster.learned.withLock({ $0.members }) ?? .max {
                arrays = divided(open + arrays.reversed().joined()).reversed()
                continue
            }
            let post = poster.compose(open.map { members[$0] }, attempt: attempt)
            let outcome = await poster.send(post, fields: fields, by: deadline)
            if open.count > 1, isRejected(outcome) {
                let limit = poster.learned.withLock { $0.rejected(count: open.count) }
                poster.options.observe?(.divided(members: open.count, limit: limit))
                arrays = divided(open + arrays.reversed().joined()).reversed()
                continue
            }
            if outcome.answer?.status.kind == .successful {
                poster.learned.withLock { $0.accepted(count: open.count) }
            }
            alone += sort(open, outcome, isLast: isLast(attempt), &again, settle).reversed()
        }
        return again
    }

    private func isLast(_ attempt: Int) -> Bool { attempt >= (poster.options.retry?.maximumAttempts ?? 1) }

    /// Divides members into arrays within the limits.
    private func divided(_ indices: [Int]) -> [[Int]] {
        poster.lowered(limits).split(indices.map { members[$0].bytes }).map { Array(indices[$0]) }
    }

    /// Settles the members whose outcomes are final, and collects those that may be sent again. Returns the members
    /// that must be sent again alone.
    private func sort(
        _ open: [Int], _ outcome: PostOutcome, isLast: Bool, _ again: inout [Repeat],
        _ settle: (Int, Outcome) -> Void
    ) -> [Int] {
        var alone: [Int] = []
        for (index, result) in zip(open, outcome.outcomes) {
            guard let result else { continue }
            guard case .failure(let failure) = result else {
                settle(index, result)
                continue
            }
            if open.count > 1, members[index].isIdempotent, case .answered(let error) = failure,
                poster.options.isAnswerTooLarge(error)
            {
                alone.append(index)
            } else if !isLast, mayRepeat(members[index], failure, outcome.answer) {
                again.append(Repeat(index: index, failure: failure, asked: asked(failure, outcome.answer)))
            } else {
                settle(index, result)
            }
        }
        return alone
    }

    // MARK: Judgements

    /// Whether the server has rejected an array because of its size, and processed no member.
    private func isRejected(_ outcome: PostOutcome) -> Bool {
        guard poster.options.dividesRejectedBatches else { return false }
        if outcome.answer?.status == .contentTooLarge { return true }
        if case .answered(let error)? = outcome.wholeFailure { return poster.options.isBatchRejection(error) }
        let errors = outcome.outcomes.compactMap { $0 }.map { result -> ErrorObject? in
            if case .failure(.answered(let error)) = result { error } else { nil }
        }
        // Another code than that of an invalid request could come from methods that were executed.
        return !errors.isEmpty
            && errors.allSatisfy { error in
                guard let error else { return false }
                return error.code == .invalidRequest && poster.options.isBatchRejection(error)
            }
    }

    private func mayRepeat(_ member: EncodedMember, _ failure: CallError, _ answer: HTTPAnswer?) -> Bool {
        guard let policy = poster.options.retry else { return false }
        let status = answer?.status.code
        let isTransient: Bool
        switch failure {
        case .cancelled: return false
        case .answered(let error):
            isTransient = status.map(policy.statuses.contains) ?? false || policy.isTransient(error)
        case .failed(let error):
            if error.code == .timedOut, error.cause == nil { return false }
            isTransient =
                error.code == .missingResponse || error.isRetryable
                || status.map(policy.statuses.contains) ?? false
        }
        // The status 429 and the delivery `notSent` prove that the server has not processed the call.
        return isTransient && (member.isIdempotent || status == 429 || failure.delivery == .notSent)
    }

    private func asked(_ failure: CallError, _ answer: HTTPAnswer?) -> Duration? {
        if let delay = answer?.retryAfter { return delay }
        guard case .answered(let error) = failure else { return nil }
        return poster.options.retry?.delayHint(error)
    }
}

extension Poster {
    /// Returns limits, lowered by the rejections of the server.
    func lowered(_ limits: BatchLimits) -> BatchLimits {
        var limits = limits
        if let members = learned.withLock({ $0.members }) {
            limits.maximumMembers = min(limits.maximumMembers, members)
        }
        return limits
    }
}
