// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// One array that keeps its memory from one use to the next. Nobody waits for it: when somebody else has it, a new array is
/// used.
struct SpareBytes: ~Copyable, Sendable {
    private let spare = Mutex<[UInt8]>([])
    /// The largest number of bytes that are kept.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Returns an empty array.
    func take() -> [UInt8] {
        spare.withLockIfAvailable { spare in
            var taken: [UInt8] = []
            swap(&spare, &taken)
            return taken
        } ?? []
    }

    /// Takes an array back. The caller's becomes empty.
    func put(_ bytes: inout [UInt8]) {
        var returned: [UInt8] = []
        swap(&bytes, &returned)
        guard returned.capacity <= limit else { return }
        returned.removeAll(keepingCapacity: true)
        // An array that is there already is released after the lock.
        _ = spare.withLockIfAvailable { swap(&$0, &returned) }
    }
}
