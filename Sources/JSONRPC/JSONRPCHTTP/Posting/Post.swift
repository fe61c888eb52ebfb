// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONRPCCore
import JSONRPCSession
import WireJSON

/// A call or a notification of a POST. Its method, params and extra members are encoded once.
struct EncodedMember: Sendable {
    var method: String
    /// The bytes after the id of a call, or a whole notification.
    var tail: [UInt8]
    /// The id of the first attempt; `nil` for a notification. Later attempts have new ids.
    var id: RequestID?
    /// The size in an array, with this id.
    var bytes: Int
    /// Whether the server may process it twice.
    var isIdempotent: Bool
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

/// One POST that is sent, its progress, and the outcomes that are passed on before it has ended.
///
/// It needs no lock: only the task of the POST uses it while that task runs, and only the sender before and after that.
final class PostAttempt: LimitedWork, @unchecked Sendable {
    /// Gets the outcome of the member at a place of the POST, and the answer as far as it has arrived. Returns `false`
    /// if the outcome must wait for the end of the answer, for example because the member may be sent again.
    typealias SettleEarly =
        @Sendable (_ place: Int, _ outcome: Result<RawJSON, CallError>, _ origin: HTTPAnswerOrigin) -> Bool

    let post: Post
    /// The header fields of the client that sends it.
    let fields: HTTPFields
    private let poster: Poster
    private let began: SessionTime
    private let settleEarly: SettleEarly?
    /// The time at which the gate admitted the POST.
    private var entered: SessionTime?
    var isSent = false
    var report: PostReport
    /// The places of the members whose outcomes were passed on.
    private(set) var settledPlaces: [Int] = []
    /// `nil` if the POST has not ended.
    private(set) var outcome: Result<PostOutcome, any Error>?

    init(_ post: Post, _ fields: HTTPFields, by poster: Poster, settleEarly: SettleEarly?) {
        self.post = post
        self.fields = fields
        self.poster = poster
        self.settleEarly = settleEarly
        began = poster.clock.now
        report = PostReport(members: post.requests.count, sentBytes: 0, attempt: post.attempt)
    }

    func run() async {
        do { outcome = .success(try await poster.perform(self)) } catch { outcome = .failure(error) }
    }

    /// Passes on an outcome. Returns `false` if it must wait for the end of the answer.
    func settle(_ place: Int, _ outcome: Result<RawJSON, CallError>, _ origin: HTTPAnswerOrigin) -> Bool {
        guard let settleEarly, settleEarly(place, outcome, origin) else { return false }
        settledPlaces.append(place)
        return true
    }

    func enter(at time: SessionTime) {
        entered = time
        report.waited = time.duration(since: began)
    }

    func report(_ outcome: PostOutcome, ended: SessionTime) -> PostReport {
        var report = report
        report.status = outcome.answer?.status
        report.duration = ended.duration(since: entered ?? ended)
        report.missing = outcome.outcomes.count { outcome in
            if case .failure(.failed(let error))? = outcome { error.code == .missingResponse } else { false }
        }
        return report
    }
}

struct PostOutcome: Sendable {
    /// The outcome of each member; `nil` for a notification that was sent, and for a member whose outcome was passed
    /// on.
    private(set) var outcomes: [Result<RawJSON, CallError>?]
    private(set) var settledCount = 0
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

    mutating func leaveOut(_ places: [Int]) {
        for place in places { outcomes[place] = nil }
        settledCount = places.count
    }
}
