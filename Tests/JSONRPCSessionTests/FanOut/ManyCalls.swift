// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import TestSupport

/// Many calls in progress: one task takes their outcomes and records them.
struct ManyCalls<Value: Sendable>: Sendable {
    typealias Outcome = (index: Int, result: Result<Value, CallError>)

    let outcomes = EventLog<Outcome>()
    let task: Task<Void, any Error>

    init<Request: JSONRPCRequest<Value>>(
        _ requests: [Request], over caller: some JSONRPCCaller, inFlight: Int = 256, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) {
        task = Task { [outcomes] in
            let results = caller.results(of: requests, inFlight: inFlight, timeout: timeout, options: options)
            for try await outcome in results { outcomes.record(outcome) }
        }
    }

    /// Waits for the outcome of a request.
    func outcome(_ index: Int) async -> Result<Value, CallError>? {
        await outcomes.first { $0.index == index }?.result
    }
}

/// A request whose params are its number.
struct Numbered: JSONRPCRequest {
    typealias Response = Int
    var number: Int
    var isIdempotent = false
    var method: String { "number" }
    var params: [Int] { [number] }

    static func upTo(_ count: Int, isIdempotent: Bool = false) -> [Numbered] {
        (0..<count).map { Numbered(number: $0, isIdempotent: isIdempotent) }
    }
}
