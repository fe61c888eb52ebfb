// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

/// Finds each request's response in what came, in whatever order.
package struct ResponseMatching: Sendable {
    private let strictness: Strictness

    package init(strictness: Strictness) { self.strictness = strictness }

    /// The outcome for each request; nil for notifications.
    ///
    /// The first response with a request's id counts. An error without an id is that of every request which is left
    /// without an answer: the peer could not read something, and answers nothing else for them.
    ///
    /// - Parameter received: what the responses were read from, to be shown when one is missing.
    package func outcomes(
        for requests: [RequestObject], in responses: [ResponseObject], received: [UInt8]?
    ) -> [Result<RawJSON, CallError>?] {
        var indices: [RequestID: Int] = [:]
        for (index, request) in requests.enumerated() {
            if let id = request.id { indices[id] = index }
        }
        var outcomes = [Result<RawJSON, CallError>?](repeating: nil, count: requests.count)
        for response in responses {
            guard let id = response.id, let (index, outcome) = match(id, response.outcome, indices),
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

    /// The same failure for each request; nil for notifications.
    package func outcomes(
        for requests: [RequestObject], failure: CallError
    ) -> [Result<RawJSON, CallError>?] {
        requests.map { $0.isNotification ? nil : .failure(failure.naming($0)) }
    }

    private func match(
        _ id: RequestID, _ outcome: Result<RawJSON, CallError>, _ indices: [RequestID: Int]
    ) -> (Int, Result<RawJSON, CallError>)? {
        if let index = indices[id] { return (index, outcome) }
        guard let counterpart = id.counterpart, let index = indices[counterpart] else { return nil }
        let irregularity: Irregularity
        switch id {
        case .number: irregularity = .numberForStringID
        case .string: irregularity = .stringForNumberID
        }
        if strictness[irregularity] < .failCall { return (index, outcome) }
        return (index, .failure(.failed(.violation(irregularity))))
    }

    /// The first failure that names no request.
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
    /// The same error, with the method and the id of the request where it lacks them.
    package func naming(_ request: RequestObject) -> CallError { naming(method: request.method, id: request.id) }
}
