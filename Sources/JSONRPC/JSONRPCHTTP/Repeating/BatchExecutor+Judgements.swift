// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore
import Synchronization

extension BatchExecutor {
    /// The action after the failure of a member.
    enum Sequel {
        /// The failure is the outcome.
        case none
        /// The member is sent again at once, in a POST of its own.
        case alone
        /// The member is sent again after a delay.
        case again
    }

    func sequel(
        _ index: Int, _ failure: CallError, _ answer: HTTPAnswer?, isArray: Bool, attempt: Int
    ) -> Sequel {
        let member = members[index]
        if isArray, member.isIdempotent, case .answered(let error) = failure, poster.options.isAnswerTooLarge(error) {
            return .alone
        }
        let isLast = attempt >= (poster.options.retry?.maximumAttempts ?? 1)
        return !isLast && mayRepeat(member, failure, answer) ? .again : .none
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

    /// Returns the delay that an answer or an error asks for.
    func asked(_ failure: CallError, _ answer: HTTPAnswer?) -> Duration? {
        if let delay = answer?.retryAfter { return delay }
        guard case .answered(let error) = failure else { return nil }
        return poster.options.retry?.delayHint(error)
    }

    // MARK: Rejections

    /// Whether the server has rejected an array because of its size, and processed no member.
    func isRejected(_ outcome: PostOutcome) -> Bool {
        guard poster.options.dividesRejectedBatches, !outcome.hasResults else { return false }
        if outcome.answer?.status == .contentTooLarge { return true }
        if case .answered(let error)? = outcome.wholeFailure { return poster.options.isBatchRejection(error) }
        let failures = outcome.outcomes.compactMap(\.self)
        // Another code than that of an invalid request could come from methods that were executed.
        return !failures.isEmpty
            && failures.allSatisfy { outcome in
                if case .failure(.answered(let error)) = outcome { isRejection(error) } else { false }
            }
    }

    /// Whether a failure can be part of the rejection of its array.
    func mayReject(_ failure: CallError, _ answer: HTTPAnswer) -> Bool {
        guard poster.options.dividesRejectedBatches else { return false }
        if answer.status == .contentTooLarge { return true }
        if case .answered(let error) = failure { return isRejection(error) }
        return false
    }

    private func isRejection(_ error: ErrorObject) -> Bool {
        error.code == .invalidRequest && poster.options.isBatchRejection(error)
    }

    // MARK: Servers without arrays

    /// Returns the members of an array that can be sent alone, to find out whether the server refuses arrays as such;
    /// none if the outcome does not suggest that.
    ///
    /// The specification has an error for the whole array if the server cannot parse it or takes it for an invalid
    /// request (JSON-RPC 2.0 §6), and a server that takes it for a call finds no method. Then no member was processed,
    /// and all can be sent again. Servers that do not know arrays also answer with a status, a text or other JSON, or
    /// close the connection. That proves nothing, so only idempotent members can be sent again then. Once the server
    /// has answered an array, no such outcome counts as a refusal. Neither does another error for the whole array,
    /// because it can come from methods that were executed.
    func membersToSendAlone(_ indices: [Int], _ outcome: PostOutcome) -> [Int] {
        guard indices.count > 1, poster.options.dividesRejectedBatches, !outcome.hasResults,
            !poster.learned.withLock({ $0.hasAcceptedArray })
        else { return [] }
        switch outcome.wholeFailure {
        case .answered(let error)? where Self.refusesMessage(error) || error.code == .methodNotFound:
            return indices
        case .failed(let error)? where mayComeFromArrays(error, outcome.answer):
            return indices.filter { members[$0].isIdempotent }
        default: return []
        }
    }

    /// Whether the outcome of a member that was sent alone shows that the server refuses arrays as such: it can answer
    /// the member.
    func showsRefusalOfArrays(_ outcome: PostOutcome) -> Bool {
        switch outcome.outcomes.first ?? nil {
        case .success?: true
        case .failure(.answered(let error))?: !Self.refusesMessage(error)
        default: false
        }
    }

    private static func refusesMessage(_ error: ErrorObject) -> Bool {
        [.parseError, .invalidRequest].contains(error.code)
    }

    /// Whether a failure without a JSON-RPC answer can be that of a server without arrays. Statuses about credentials,
    /// the target, the rate or gateways are not.
    private func mayComeFromArrays(_ error: ClientError, _ answer: HTTPAnswer?) -> Bool {
        guard let status = answer?.status else { return error.code == .connectionLost }
        return status.kind == .successful || [400, 405, 415, 422, 500, 501].contains(status.code)
    }
}
