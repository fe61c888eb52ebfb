// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Gathers the answers to an array from the peer, which are sent as one array (JSON-RPC 2.0 §6).
final class InboundBatch: Sendable {
    private struct State {
        var answers: [[UInt8]?]
        var missing: Int
    }

    private let state: Mutex<State>

    /// - Parameter requests: The number of members that get an answer; at least 1.
    init(requests: Int) {
        state = Mutex(State(answers: Array(repeating: nil, count: requests), missing: requests))
    }

    /// Adds one answer. Returns the whole array, in the order of the requests, if it was the last answer.
    func answer(_ index: Int, _ bytes: [UInt8]) -> [UInt8]? {
        state.withLock { state in
            guard state.answers.indices.contains(index), state.answers[index] == nil else { return nil }
            state.answers[index] = bytes
            state.missing -= 1
            guard state.missing == 0 else { return nil }
            var array: [UInt8] = []
            for answer in state.answers.lazy.compactMap({ $0 }) {
                array.append(UInt8(ascii: array.isEmpty ? "[" : ","))
                array.append(contentsOf: answer)
            }
            array.append(UInt8(ascii: "]"))
            return array
        }
    }
}
