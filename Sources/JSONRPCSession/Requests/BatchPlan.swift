// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// The requests of a batch: entries for those that could be encoded, failures for the others.
struct BatchPlan: Sendable {
    private(set) var entries: [BatchEntry] = []
    /// Which request each entry was made of.
    private var places: [Int] = []
    /// What has come for each request.
    private(set) var arrived: [Result<RawJSON, CallError>?] = []
    /// The requests that could not be encoded, by their place.
    private(set) var unsent: [Int] = []

    init() {}

    init<Request: JSONRPCRequest>(_ requests: [Request], using coder: any MessageCoder) {
        // All params in one buffer, of which each entry gets its part when it does not grow any more.
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        ranges.reserveCapacity(requests.count)
        entries.reserveCapacity(requests.count)
        places.reserveCapacity(requests.count)
        arrived.reserveCapacity(requests.count)
        for request in requests {
            do throws(ClientError) {
                ranges.append(try request.appendParams(to: &bytes, using: coder))
                add(request, params: nil)
            } catch {
                fail(error)
            }
        }
        for entry in entries.indices {
            if let range = ranges[entry] { entries[entry].params = RawJSON(unchecked: bytes[range]) }
        }
    }

    mutating func add<Request: JSONRPCRequest>(_ request: Request, using coder: any MessageCoder) {
        do throws(ClientError) {
            add(request, params: try request.encodedParams(using: coder))
        } catch {
            fail(error)
        }
    }

    private mutating func add<Request: JSONRPCRequest>(_ request: Request, params: RawJSON?) {
        entries.append(
            BatchEntry(
                method: request.method, params: params, isNotification: Request.isNotification,
                options: CallOptions(extraMembers: request.extraMembers)))
        places.append(arrived.count)
        arrived.append(nil)
    }

    private mutating func fail(_ error: ClientError) {
        unsent.append(arrived.count)
        arrived.append(.failure(.failed(error)))
    }

    /// Takes an entry's outcome; gives the place of its request.
    @discardableResult
    mutating func settle(_ entry: Int, _ outcome: Result<RawJSON, CallError>) -> Int {
        let place = places[entry]
        switch outcome {
        case .success(let result): arrived[place] = .success(result)
        case .failure(let error): arrived[place] = .failure(error.naming(method: entries[entry].method))
        }
        return place
    }

    /// Takes one failure for all entries.
    mutating func settleAll(_ error: any Error) {
        for entry in entries.indices { settle(entry, .failure(CallError(error))) }
    }

    /// For each request what is known of it. Nil stands for a notification of which nothing bad is known.
    func outcomes() -> [Result<RawJSON, CallError>?] {
        var outcomes = arrived
        for (entry, place) in places.enumerated() where !entries[entry].isNotification {
            // Only a caller that does not keep to its contract leaves one out.
            if case nil = outcomes[place] { outcomes[place] = .failure(.failed(Self.unanswered)) }
        }
        return outcomes
    }

    private static var unanswered: ClientError { .missingResponse(received: nil, delivery: .outcomeUnknown) }
}

extension JSONRPCCaller {
    /// Sends a plan, and fills in its outcomes.
    ///
    /// - Throws: `CancellationError` alone, when the task was cancelled and nothing is known of any call.
    func carryOut(_ plan: consuming BatchPlan, timeout: CallTimeout) async throws -> BatchPlan {
        var plan = plan
        do {
            try await batch(plan.entries, timeout: timeout, pace: .together) { plan.settle($0, $1) }
        } catch let error as CancellationError {
            throw error
        } catch {
            plan.settleAll(error)
        }
        return plan
    }
}
