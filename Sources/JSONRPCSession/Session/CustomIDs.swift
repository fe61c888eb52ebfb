// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// The ids of a generator that is the program's own.
///
/// They are drawn in the caller's task, before the session's critical section: so no code of the program runs under the
/// session's lock. The generator has a lock to itself, since drawing an id changes it.
final class CustomIDs: Sendable {
    private let source: Mutex<IDSource>

    /// Nil for the generators of this package. They call nobody, and give ids in the order of the wire.
    init?(_ generator: any IDGenerator) {
        if generator is NumberIDGenerator || generator is StringIDGenerator || generator is UUIDGenerator { return nil }
        source = Mutex(IDSource(generator))
    }

    func next() -> RequestID { source.withLock { $0.next() } }
}
