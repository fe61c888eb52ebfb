// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore
import JSONRPCSession
import Synchronization
import WireJSON

/// The progress of one POST, and the outcomes that are passed on before it has ended.
final class PostAttempt: Sendable {
    /// Gets the outcome of the member at a place of the POST, and the answer as far as it has arrived. Returns `false` if
    /// the outcome must wait for the end of the answer, for example because the member may be sent again.
    typealias SettleEarly =
        @Sendable (_ place: Int, _ outcome: Result<RawJSON, CallError>, _ origin: HTTPAnswerOrigin) -> Bool

    private struct State {
        var isSent = false
        var report: PostReport
        var entered: SessionTime?
        var settledPlaces: [Int] = []
    }

    private let began: SessionTime
    private let settleEarly: SettleEarly?
    private let state: Mutex<State>

    init(began: SessionTime, _ post: Post, settleEarly: SettleEarly?) {
        self.began = began
        self.settleEarly = settleEarly
        state = Mutex(
            State(
                report: PostReport(
                    members: post.requests.count, sentBytes: 0, attempt: post.attempt)))
    }

    /// Whether the transport got the request.
    var isSent: Bool { state.withLock { $0.isSent } }

    /// The places of the members whose outcomes were passed on.
    var settledPlaces: [Int] { state.withLock { $0.settledPlaces } }

    /// Passes on an outcome. Returns `false` if it must wait for the end of the answer.
    func settle(_ place: Int, _ outcome: Result<RawJSON, CallError>, _ origin: HTTPAnswerOrigin) -> Bool {
        guard let settleEarly, settleEarly(place, outcome, origin) else { return false }
        state.withLock { $0.settledPlaces.append(place) }
        return true
    }

    func entered(at time: SessionTime) {
        state.withLock { state in
            state.entered = time
            state.report.waited = time.duration(since: began)
        }
    }

    func sent(_ bytes: Int) {
        state.withLock { state in
            state.isSent = true
            state.report.sentBytes = bytes
        }
    }

    /// The transport did not send the request, which will be sent again.
    func unsent() { state.withLock { $0.isSent = false } }

    func received(_ bytes: Int) { state.withLock { $0.report.receivedBytes = bytes } }

    func report(_ outcome: PostOutcome, ended: SessionTime) -> PostReport {
        var (report, entered) = state.withLock { ($0.report, $0.entered) }
        report.status = outcome.answer?.status
        report.duration = ended.duration(since: entered ?? ended)
        report.missing = outcome.outcomes.count { outcome in
            if case .failure(.failed(let error))? = outcome { error.code == .missingResponse } else { false }
        }
        return report
    }
}
