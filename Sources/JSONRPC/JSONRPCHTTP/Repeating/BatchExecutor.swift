// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore
import JSONRPCSession
import Synchronization
import WireJSON

/// Carries out members: divides them into POSTs, divides rejected batches further, and repeats members that failed.
///
/// The POSTs of one run are sent one after the other, in the order of the members, unless
/// ``JSONRPCHTTPOptions/batchConcurrency`` allows several at a time.
struct BatchExecutor: Sendable {
    typealias Outcome = Result<RawJSON, CallError>
    /// Gets the index and the outcome of a member, in any task.
    typealias Settle = @Sendable (_ index: Int, _ outcome: Outcome) -> Void

    let poster: Poster
    let members: [EncodedMember]
    let fields: HTTPFields
    let deadline: SessionTime?
    /// The limits of one array, before the server's rejections lower them.
    let limits: SessionConfiguration.BatchLimits
    /// Returns whether a caller waits for the outcome of a member. Other members are not sent.
    var isWaiting: @Sendable (Int) -> Bool = { _ in true }

    private struct Attempt {
        var number: Int
        /// The arrays that are still to be sent, the next one last.
        var arrays: [[Int]]
        /// The members that must be sent alone after the arrays, the next one last.
        var alone: [Int] = []
        /// The members that may be sent again after a delay.
        var again: [Failed] = []
        /// Members whose array may have been refused as such, by the index of the member that is sent alone to find
        /// out.
        var held: [Int: [Failed]] = [:]
    }

    private struct Failed {
        var index: Int
        var failure: CallError
        var answer: HTTPAnswer?
    }

    private struct Ended {
        var indices: [Int]
        var outcome: PostOutcome
        /// The learned limit when the POST was sent.
        var limit: Int?
    }

    /// Runs until every call has an outcome.
    ///
    /// - Parameter settle: Gets the outcome of each call once, and of each notification that was not sent.
    func run(settle: @escaping Settle) async {
        var indices = Array(members.indices)
        var number = 1
        while true {
            let again = await send(indices, attempt: number, settle)
            guard !again.isEmpty else { return }
            guard let delay = delay(again, attempt: number + 1) else {
                for member in again { settle(member.index, .failure(member.failure)) }
                return
            }
            poster.options.observe?(.retrying(members: again.count, attempt: number + 1, delay: delay))
            guard await poster.isReached(poster.clock.now.advanced(by: delay)) else {
                for member in again { settle(member.index, .failure(Task.isCancelled ? .cancelled : member.failure)) }
                return
            }
            indices = again.map(\.index).sorted()
            number += 1
        }
    }

    /// Returns the delay before the next attempt; `nil` if the members should not be sent again.
    private func delay(_ again: [Failed], attempt: Int) -> Duration? {
        guard let policy = poster.options.retry, attempt <= policy.maximumAttempts else { return nil }
        let delay = policy.delay(before: attempt, asked: again.compactMap { asked($0.failure, $0.answer) }.max())
        if let deadline, poster.clock.now.advanced(by: delay) >= deadline { return nil }
        return delay
    }

    // MARK: One attempt

    /// Sends members. Returns the members that may be sent again after a delay.
    private func send(_ indices: [Int], attempt number: Int, _ settle: @escaping Settle) async -> [Failed] {
        var attempt = Attempt(number: number, arrays: divided(indices).reversed())
        let width = max(1, poster.options.batchConcurrency?.maximumRequests ?? 1)
        if width == 1 || indices.count < 2 {
            while let array = next(&attempt) { sort(await post(array, number, settle), &attempt, settle) }
        } else {
            await withTaskGroup(of: Ended.self) { group in
                var inFlight = 0
                while true {
                    while inFlight < width, let array = next(&attempt) {
                        group.addTask { await post(array, number, settle) }
                        inFlight += 1
                    }
                    guard let ended = await group.next() else { return }
                    inFlight -= 1
                    sort(ended, &attempt, settle)
                }
            }
        }
        // No caller waits any more for the members that would have been sent alone, so those were not sent.
        for held in attempt.held.values { release(held, &attempt, settle) }
        return attempt.again
    }

    private func next(_ attempt: inout Attempt) -> [Int]? {
        while let array = attempt.arrays.popLast() ?? attempt.alone.popLast().map({ [$0] }) {
            let open = array.filter(isWaiting)
            if open.isEmpty { continue }
            // A smaller limit may have been learned since the arrays were made.
            guard open.count > 1, open.count > poster.learned.withLock({ $0.members }) ?? .max else { return open }
            divideAgain(open, &attempt)
        }
        return nil
    }

    private func divideAgain(_ open: [Int], _ attempt: inout Attempt) {
        attempt.arrays = divided(open + attempt.arrays.reversed().joined()).reversed()
    }

    private func divided(_ indices: [Int]) -> [[Int]] {
        if indices.count < 2 { return indices.isEmpty ? [] : [indices] }
        var limits = poster.lowered(limits)
        if let concurrency = poster.options.batchConcurrency {
            limits.maximumMembers = min(limits.maximumMembers, concurrency.maximumMembers)
        }
        return limits.split(indices.map { members[$0].bytes }).map { Array(indices[$0]) }
    }

    /// Sends one POST, and settles the members whose outcomes are final while the answer arrives.
    private func post(_ indices: [Int], _ number: Int, _ settle: @escaping Settle) async -> Ended {
        let limit = poster.learned.withLock { $0.members }
        let post = poster.compose(indices.map { members[$0] }, attempt: number)
        let outcome = await poster.send(post, fields: fields, by: deadline) { place, outcome, origin in
            if case .failure(let failure) = outcome {
                let next = sequel(indices[place], failure, origin.answer, isArray: indices.count > 1, attempt: number)
                guard next == .none, !mayReject(failure, origin.answer) else { return false }
            }
            settle(indices[place], outcome)
            return true
        }
        return Ended(indices: indices, outcome: outcome, limit: limit)
    }

    /// Settles the members whose outcomes are final, and collects those that must be sent again.
    private func sort(_ ended: Ended, _ attempt: inout Attempt, _ settle: Settle) {
        let (indices, outcome) = (ended.indices, ended.outcome)
        let isArray = indices.count > 1
        if isArray, isRejected(outcome) {
            let limit = poster.learned.withLock { $0.rejected(count: indices.count, sentUnder: ended.limit) }
            poster.options.observe?(.divided(members: indices.count, limit: limit))
            return divideAgain(indices, &attempt)
        }
        if indices.count == 1, let held = attempt.held.removeValue(forKey: indices[0]) {
            guard showsRefusalOfArrays(outcome) else { return release(held, &attempt, settle) }
            poster.learned.withLock { $0.refusedArrays() }
            poster.options.observe?(.divided(members: held.count, limit: 1))
            divideAgain(held.map(\.index).filter { $0 != indices[0] }, &attempt)
        }
        if outcome.answer?.status.kind == .successful, outcome.wholeFailure == nil {
            poster.learned.withLock { $0.accepted(count: indices.count) }
        }
        let open = Set(membersToSendAlone(indices, outcome))
        let first = indices.first { open.contains($0) && !members[$0].isNotification }
        if let first { attempt.arrays.append([first]) }
        var alone: [Int] = []
        for (index, result) in zip(indices, outcome.outcomes) {
            guard let result else { continue }
            guard case .failure(let failure) = result else {
                settle(index, result)
                continue
            }
            let member = Failed(index: index, failure: failure, answer: outcome.answer)
            if let first, open.contains(index) {
                attempt.held[first, default: []].append(member)
            } else if sequel(index, failure, outcome.answer, isArray: isArray, attempt: attempt.number) == .alone {
                alone.append(index)
            } else {
                conclude(member, &attempt, settle)
            }
        }
        attempt.alone += alone.reversed()
    }

    /// Settles a member that has failed, or notes that it is sent again after a delay.
    private func conclude(_ member: Failed, _ attempt: inout Attempt, _ settle: Settle) {
        if sequel(member.index, member.failure, member.answer, isArray: false, attempt: attempt.number) == .again {
            attempt.again.append(member)
        } else {
            settle(member.index, .failure(member.failure))
        }
    }

    /// Gives members the outcome of their array, because the server does not answer the first member alone, either.
    private func release(_ held: [Failed], _ attempt: inout Attempt, _ settle: Settle) {
        for member in held { conclude(member, &attempt, settle) }
    }
}

extension Poster {
    /// Returns limits, lowered by the rejections of the server.
    func lowered(_ limits: SessionConfiguration.BatchLimits) -> SessionConfiguration.BatchLimits {
        var limits = limits
        if let members = learned.withLock({ $0.members }) {
            limits.maximumMembers = min(limits.maximumMembers, members)
        }
        return limits
    }
}
