// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession

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
