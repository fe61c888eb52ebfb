// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// The ids of a custom generator.
///
/// Ids are generated in the caller's task before the session's lock is taken, so that no code of the program runs under
/// that lock. The generator has its own lock, because generating an id changes it.
final class CustomIDs: Sendable {
    private let source: Mutex<IDSource>

    /// `nil` for the generators of this package. They call no code of the program, and are used under the session's
    /// lock, so that ids are in the order of the wire.
    init?(_ generator: any IDGenerator) {
        if generator is NumberIDGenerator || generator is StringIDGenerator || generator is UUIDGenerator { return nil }
        source = Mutex(IDSource(generator))
    }

    func next() -> RequestID { source.withLock { $0.next() } }
}
