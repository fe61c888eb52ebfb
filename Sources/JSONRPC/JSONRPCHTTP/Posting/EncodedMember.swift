// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession

/// A call or a notification of a POST. Its method, params and extra members are encoded once.
struct EncodedMember: Sendable {
    var method: String
    /// The bytes behind the id of a call, or a whole notification.
    var tail: [UInt8]
    /// The id of the first attempt; `nil` for a notification. Later attempts have new ids.
    var id: RequestID?
    /// The size in an array, with this id.
    var bytes: Int
    /// Whether the server may process it twice.
    var isIdempotent: Bool
    /// The time at which the call was made.
    var begun: SessionTime

    var isNotification: Bool { id == nil }
}

/// The members of one POST, and the body made of them.
struct Post: Sendable {
    /// The ids and methods of the members, for matching.
    var requests: [RequestObject]
    var body: [UInt8]
    var isArray: Bool
    var isIdempotent: Bool
    var attempt: Int

    var expectsResponse: Bool { requests.contains { !$0.isNotification } }
}

/// The outcome of one POST.
struct PostOutcome: Sendable {
    /// The outcome of each member; `nil` for a notification that was sent, and for a member whose outcome was passed on.
    private(set) var outcomes: [Result<RawJSON, CallError>?]
    /// The number of members whose outcomes were passed on.
    private(set) var settledCount = 0
    /// The answer, if one arrived.
    var answer: HTTPAnswer?
    /// The failure of all members together, if no member has an outcome of its own.
    var wholeFailure: CallError?

    init(outcomes: [Result<RawJSON, CallError>?], answer: HTTPAnswer?, wholeFailure: CallError? = nil) {
        self.outcomes = outcomes
        self.answer = answer
        self.wholeFailure = wholeFailure
    }

    /// One failure for all members.
    init(_ failure: CallError, of requests: [RequestObject], answer: HTTPAnswer? = nil) {
        var failure = failure
        if let answer { failure = failure.coming(from: HTTPAnswerOrigin(answer)) }
        self.init(
            outcomes: requests.map { .failure(failure.naming($0)) }, answer: answer ?? failure.httpAnswer,
            wholeFailure: failure)
    }

    /// Whether the server has answered a member with a result, or with an error that was passed on.
    var hasResults: Bool {
        settledCount > 0
            || outcomes.contains { outcome in
                if case .success? = outcome { true } else { false }
            }
    }

    /// Removes the outcomes that were passed on.
    mutating func leaveOut(_ places: [Int]) {
        for place in places { outcomes[place] = nil }
        settledCount = places.count
    }
}
