// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Values in the order in which they were added, from any thread.
final class Log<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    var values: [Value] { state.withLock { $0 } }

    func add(_ value: Value) { state.withLock { $0.append(value) } }
}
