// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The requests of a session that have not ended.
final class InFlightRequests: Sendable {
    private struct Entry {
        var request: any HTTPAPIRequest
        var operation: LimitedOperation
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    func add(_ request: some HTTPAPIRequest, _ operation: LimitedOperation) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(request: request, operation: operation)
            return state.lastNumber
        }
    }

    func remove(_ number: UInt64) {
        // The request is released after the lock.
        _ = state.withLock { $0.entries.removeValue(forKey: number) }
    }

    func cancel<Request: HTTPAPIRequest>(_ type: Request.Type, passingTest test: (Request) -> Bool) -> Int {
        let entries = state.withLock { Array($0.entries.values) }
        var count = 0
        for entry in entries {
            guard let request = entry.request as? Request, test(request) else { continue }
            entry.operation.end(.cancelled)
            count += 1
        }
        return count
    }
}
