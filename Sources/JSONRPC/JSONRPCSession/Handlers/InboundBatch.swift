// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Gathers the answers to an array from the peer, which are sent as one array (JSON-RPC 2.0 §6).
final class InboundBatch: Sendable {
    private struct State {
        var answers: [[UInt8]?]
        var missing: Int
        /// The part of this array in the session's ``HeldAnswers``.
        var heldBytes = 0
    }

    private let held: HeldAnswers
    private let state: Mutex<State>

    /// - Parameters:
    ///   - requests: The number of members that get an answer; at least 1.
    ///   - held: The waiting answers of the session.
    init(requests: Int, held: HeldAnswers) {
        self.held = held
        state = Mutex(State(answers: Array(repeating: nil, count: requests), missing: requests))
    }

    deinit { held.add(-state.withLock { $0.heldBytes }) }

    /// Whether there is room for an answer of any length. There always is for the last one, because it does not wait.
    var hasRoom: Bool { held.hasRoom || state.withLock { $0.missing } == 1 }

    /// Adds one answer. Returns the whole array, in the order of the requests, if it was the last answer.
    func answer(_ index: Int, _ bytes: [UInt8]) -> [UInt8]? {
        var answers: [[UInt8]?] = []
        let change = state.withLock { state -> Int in
            guard state.answers.indices.contains(index), state.answers[index] == nil else { return 0 }
            state.answers[index] = bytes
            state.missing -= 1
            let size = HeldAnswers.size(of: bytes)
            guard state.missing == 0 else {
                state.heldBytes += size
                return size
            }
            swap(&answers, &state.answers)
            defer { state.heldBytes = 0 }
            return -state.heldBytes
        }
        defer { held.add(change) }
        return answers.isEmpty ? nil : Self.array(&answers)
    }

    /// Joins answers. Each is released when it has been copied, so that not all of them are held twice.
    private static func array(_ answers: inout [[UInt8]?]) -> [UInt8] {
        var array: [UInt8] = []
        array.reserveCapacity(answers.reduce(1) { $0 + ($1?.count ?? 0) + 1 })
        for index in answers.indices {
            guard let answer = answers[index].take() else { continue }
            array.append(UInt8(ascii: array.isEmpty ? "[" : ","))
            array.append(contentsOf: answer)
        }
        array.append(UInt8(ascii: "]"))
        return array
    }
}

/// Counts the finished answers of a session that wait for the other answers of their arrays.
final class HeldAnswers: Sendable {
    private let bytes = Atomic<Int>(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var hasRoom: Bool { bytes.load(ordering: .relaxed) < limit }

    fileprivate func add(_ change: Int) {
        if change != 0 { bytes.wrappingAdd(change, ordering: .relaxed) }
    }

    /// The memory of an answer, with that of the array's header and of the allocation.
    fileprivate static func size(of answer: [UInt8]) -> Int { answer.capacity + 48 }
}
