// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Keeps the beginning of a body, for errors.
final class BodyRecorder: Sendable {
    /// The largest beginning, in bytes.
    static let limit = 16 << 10

    private struct State {
        var pieces: [ArraySlice<UInt8>] = []
        var count = 0
        var isStopped = false
    }

    private let state = Mutex(State())

    func record(_ piece: ArraySlice<UInt8>) {
        state.withLock { state in
            guard !state.isStopped, state.count < Self.limit else { return }
            let kept = piece.prefix(Self.limit - state.count)
            state.pieces.append(kept)
            state.count += kept.count
        }
    }

    /// Releases what was kept, and keeps nothing more.
    func stop() {
        _ = state.withLock { state in
            state.isStopped = true
            return exchange(&state.pieces, with: [])
        }
    }

    var beginning: [UInt8] { Array(state.withLock { $0.pieces }.joined()) }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    let old = value
    value = new
    return old
}
