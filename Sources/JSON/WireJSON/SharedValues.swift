// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Values that are created once per key, such as a type, and are never freed.
struct SharedValues<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    private let values = Mutex<[Key: Value]>([:])

    /// Returns the value of a key. If several threads create it at the same time, all of them get the first one.
    func value(for key: Key, _ make: () -> Value) -> Value {
        if let value = values.withLock({ $0[key] }) { return value }
        // It is created outside of the lock, because code of the program can run here.
        let made = make()
        return values.withLock { values in
            if let value = values[key] { return value }
            values[key] = made
            return made
        }
    }
}
