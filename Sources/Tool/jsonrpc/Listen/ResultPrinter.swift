// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Prints the results of several calls in the order of the calls, since a line does not name its call.
///
/// A result is held back until the calls before it have results, or until ``printRest()``.
final class ResultPrinter: Sendable {
    private struct State {
        var held: [Int: [UInt8]] = [:]
        /// The first call that has no result yet.
        var next = 0
    }

    private let state = Mutex(State())
    private let stream: OutputStream

    init(to stream: OutputStream) { self.stream = stream }

    /// Takes the result of a call, and prints it and the results that were held back for it.
    func print(_ line: [UInt8], ofCall index: Int) {
        // The lines are written under the lock, so that two threads cannot swap them.
        state.withLock { state in
            state.held[index] = line
            while let line = state.held.removeValue(forKey: state.next) {
                state.next += 1
                // A closed standard error must not end the listening.
                try? stream.write(line: line)
            }
        }
    }

    /// Prints the results that wait for a call without a result.
    func printRest() {
        state.withLock { state in
            for (_, line) in state.held.sorted(by: { $0.key < $1.key }) { try? stream.write(line: line) }
            state.held = [:]
        }
    }
}
