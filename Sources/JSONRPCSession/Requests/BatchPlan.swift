// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// Requests on their way into a batch: those that could be encoded, and what has become of the others.
struct BatchPlan: Sendable {
    private(set) var entries: [BatchEntry] = []
    /// Which request each entry was made of.
    private var places: [Int] = []
    /// For each request what is known of it. Nil stands for a notification of which nothing bad is known.
    private(set) var outcomes: [Result<RawJSON, CallError>?] = []
    /// The requests that could not be encoded, by their place.
    private(set) var unsent: [Int] = []

    init() {}

    init<Request: JSONRPCRequest>(_ requests: [Request], using coder: any MessageCoder) {
        for request in requests { add(request, using: coder) }
    }

    mutating func add<Request: JSONRPCRequest>(_ request: Request, using coder: any MessageCoder) {
        do {
            let draft = try RequestDraft(request, using: coder)
            places.append(outcomes.count)
            outcomes.append(draft.isNotification ? nil : .failure(.failed(Self.unanswered)))
            entries.append(
                BatchEntry(
                    method: draft.method, params: draft.params, isNotification: draft.isNotification,
                    options: CallOptions(extraMembers: draft.extraMembers)))
        } catch {
            unsent.append(outcomes.count)
            outcomes.append(.failure(.failed(error)))
        }
    }

    /// What is known of a call before its outcome comes.
    private static var unanswered: ClientError { .missingResponse(received: nil, delivery: .outcomeUnknown) }

    /// Takes an entry's outcome; gives the place of its request.
    @discardableResult
    mutating func settle(_ entry: Int, _ outcome: Result<RawJSON, any Error>) -> Int {
        let place = places[entry]
        outcomes[place] = outcome.mapError { CallError($0, method: entries[entry].method) }
        return place
    }

    /// Takes one failure for all entries.
    mutating func settleAll(_ error: any Error) {
        for entry in entries.indices { settle(entry, .failure(error)) }
    }
}

extension JSONRPCCaller {
    /// Sends a plan, and fills in its outcomes.
    ///
    /// - Throws: `CancellationError` alone, when the task was cancelled and nothing is known of any call.
    func carryOut(_ plan: consuming BatchPlan, timeout: CallTimeout) async throws -> BatchPlan {
        var plan = plan
        do {
            try await batch(plan.entries, timeout: timeout) { plan.settle($0, $1) }
        } catch let error as CancellationError {
            throw error
        } catch {
            plan.settleAll(error)
        }
        return plan
    }
}
