// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Values that are made once for a key, such as a type, and kept as long as the program runs.
struct SharedValues<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    private let values = Mutex<[Key: Value]>([:])

    /// Returns the value of a key. If several threads make it at once, all of them get the first one.
    func value(for key: Key, _ make: () -> Value) -> Value {
        if let value = values.withLock({ $0[key] }) { return value }
        // Outside of the lock, because code of the program can run here.
        let made = make()
        return values.withLock { values in
            if let value = values[key] { return value }
            values[key] = made
            return made
        }
    }
}
