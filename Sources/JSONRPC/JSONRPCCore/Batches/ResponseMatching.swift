// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

/// Matches responses, in any order, to requests.
package struct ResponseMatching: Sendable {
    private let strictness: Strictness

    /// Makes a matching. The strictness decides whether the ids `7` and `"7"` match.
    package init(strictness: Strictness) { self.strictness = strictness }

    /// Returns the outcome of each request; `nil` for notifications.
    ///
    /// The first response with the id of a request wins. An error without an id is the outcome of every request without
    /// a response: the peer could not read these requests. The error of a missing response holds `received`.
    package func outcomes(
        for requests: [RequestObject], in responses: [ResponseObject], received: [UInt8]?
    ) -> [Result<RawJSON, CallError>?] {
        var indices: [RequestID: Int] = [:]
        for (index, request) in requests.enumerated() {
            if let id = request.id { indices[id] = index }
        }
        var outcomes = [Result<RawJSON, CallError>?](repeating: nil, count: requests.count)
        for response in responses {
            guard let id = response.id, let (index, outcome) = match(id, response.outcome, index: { indices[$0] }),
                outcomes[index] == nil
            else { continue }
            outcomes[index] = outcome.mapError { $0.naming(requests[index]) }
        }
        let nameless = namelessFailure(in: responses, isBatch: requests.count > 1)
        for (index, request) in requests.enumerated() where outcomes[index] == nil && !request.isNotification {
            let failure = nameless ?? .failed(.missingResponse(received: received, delivery: .answered))
            outcomes[index] = .failure(failure.naming(request))
        }
        return outcomes
    }

    /// Returns the same failure for each request; `nil` for notifications.
    package func outcomes(
        for requests: [RequestObject], failure: CallError
    ) -> [Result<RawJSON, CallError>?] {
        requests.map { $0.isNotification ? nil : .failure(failure.naming($0)) }
    }

    /// Returns the index of the request that a response answers, and the outcome; `nil` if it answers none.
    package func match(
        _ id: RequestID, _ outcome: Result<RawJSON, CallError>, index search: (RequestID) -> Int?
    ) -> (Int, Result<RawJSON, CallError>)? {
        if let index = search(id) { return (index, outcome) }
        guard let counterpart = id.counterpart, let index = search(counterpart) else { return nil }
        let irregularity: Irregularity
        switch id {
        case .number: irregularity = .numberForStringID
        case .string: irregularity = .stringForNumberID
        }
        if strictness[irregularity] < .failCall { return (index, outcome) }
        return (index, .failure(.failed(.violation(irregularity))))
    }

    private func namelessFailure(in responses: [ResponseObject], isBatch: Bool) -> CallError? {
        for response in responses where response.id == nil {
            guard case .failure(let failure) = response.outcome else { continue }
            if isBatch, responses.count == 1, strictness[.batchAnsweredByError] >= .failCall {
                return .failed(.violation(.batchAnsweredByError))
            }
            return failure
        }
        return nil
    }
}

extension CallError {
    /// Returns the error with the method and the id of the request, unless it has them.
    package func naming(_ request: RequestObject) -> CallError { naming(method: request.method, id: request.id) }
}
