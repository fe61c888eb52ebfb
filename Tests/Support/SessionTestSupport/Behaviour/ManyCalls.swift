// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
package import TestSupport

/// Many calls in progress: one task takes their outcomes and records them.
package struct ManyCalls<Value: Sendable>: Sendable {
    package typealias Outcome = (index: Int, result: Result<Value, CallError>)

    package let outcomes = EventLog<Outcome>()
    package let task: Task<Void, any Error>

    package init<Request: JSONRPCRequest<Value>>(
        _ requests: [Request], over caller: some JSONRPCCaller, inFlight: Int = 256, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) {
        task = Task { [outcomes] in
            let results = caller.results(of: requests, inFlight: inFlight, timeout: timeout, options: options)
            for try await outcome in results { outcomes.record(outcome) }
        }
    }

    /// Waits for the outcome of a request.
    package func outcome(_ index: Int) async -> Result<Value, CallError>? {
        await outcomes.first { $0.index == index }?.result
    }
}

extension JSONRPCCaller {
    /// Makes many calls, and returns their outcomes in the order of the requests.
    package func outcomesInOrder<Requests: Sequence>(
        _ requests: Requests, inFlight: Int = 256, options: CallOptions = CallOptions()
    ) async throws -> [Result<Requests.Element.Response, CallError>] where Requests.Element: JSONRPCRequest {
        var outcomes: [Int: Result<Requests.Element.Response, CallError>] = [:]
        for try await (index, result) in results(of: requests, inFlight: inFlight, options: options) {
            outcomes[index] = result
        }
        return outcomes.sorted { $0.key < $1.key }.map(\.value)
    }
}
