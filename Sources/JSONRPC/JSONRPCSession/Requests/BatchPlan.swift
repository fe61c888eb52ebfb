// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// A batch of requests before it is sent: the encoded requests, and the errors of the others.
struct BatchPlan: Sendable {
    private(set) var entries: [BatchEntry] = []
    /// The index of the request of each entry.
    private var places: [Int] = []
    /// The outcome of each request, if it has arrived.
    private var arrived: [Result<RawJSON, CallError>?] = []

    init() {}

    init<Request: JSONRPCRequest>(_ requests: [Request], using coder: any MessageCoder) {
        // All params share one buffer. Each entry gets its slice when the buffer is complete.
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
                options: CallOptions(extraMembers: request.extraMembers, isIdempotent: request.isIdempotent)))
        places.append(arrived.count)
        arrived.append(nil)
    }

    private mutating func fail(_ error: ClientError) { arrived.append(.failure(.failed(error))) }

    mutating func settle(_ entry: Int, _ outcome: Result<RawJSON, CallError>) {
        if case .failure(let error) = outcome {
            arrived[places[entry]] = .failure(error.naming(method: entries[entry].method))
        } else {
            arrived[places[entry]] = outcome
        }
    }

    mutating func settleAll(_ error: any Error) {
        for entry in entries.indices { settle(entry, .failure(CallError(error))) }
    }

    /// Returns the outcome of each request; `nil` for a notification that did not fail.
    func outcomes() -> [Result<RawJSON, CallError>?] {
        var outcomes = arrived
        for (entry, place) in places.enumerated() where !entries[entry].isNotification {
            // Outcomes are missing only if the caller violates its contract.
            if case nil = outcomes[place] { outcomes[place] = .failure(.failed(Self.unanswered)) }
        }
        return outcomes
    }

    private static var unanswered: ClientError { .missingResponse(received: nil, delivery: .outcomeUnknown) }
}

extension JSONRPCCaller {
    /// Sends a plan, and stores its outcomes.
    ///
    /// - Throws: A `CancellationError` if the task was cancelled before anything was sent; no other errors.
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
