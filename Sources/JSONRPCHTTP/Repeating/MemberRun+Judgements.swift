// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore

extension MemberRun {
    /// What follows the failure of a member.
    enum Sequel {
        /// The failure is the outcome.
        case none
        /// The member is sent again at once, in a POST of its own.
        case alone
        /// The member is sent again after a delay.
        case again
    }

    /// Returns what follows the failure of a member.
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
}
