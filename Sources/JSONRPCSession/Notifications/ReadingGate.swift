// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Decides whether a connection is read: it is, unless somebody holds it back.
///
/// Holders come and go on several threads. The transport is told under the lock, so that it hears decisions in their
/// order, and a hold from the thread which reads counts before that thread reads on: were it left to another thread to
/// tell, much could be read until that one gets its turn.
package final class ReadingGate: Sendable {
    private struct State {
        var transport: (any MessageTransport)?
        /// By holder: how many more holds than releases there were. A release can overtake its hold.
        var holds: [ObjectIdentifier: Int] = [:]
        /// What ``transport`` was told last.
        var isReading = true

        var isHeld: Bool { holds.values.contains { $0 > 0 } }
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes a new connection under control; a fresh one is being read. Nil when there is none.
    package func attach(_ transport: (any MessageTransport)?) {
        state.withLock { state in
            state.transport = transport
            state.isReading = true
            tell(&state)
        }
    }

    func hold(_ holder: AnyObject) { count(holder, 1) }

    /// Ends a hold, also one which has not come yet.
    func release(_ holder: AnyObject) { count(holder, -1) }

    /// Tells the transport once more that it is not to read, if that is so: it may have begun again by itself.
    func renew() {
        state.withLock { state in
            if !state.isReading { state.transport?.setReading(false) }
        }
    }

    private func count(_ holder: AnyObject, _ change: Int) {
        let key = ObjectIdentifier(holder)
        state.withLock { state in
            let count = state.holds[key, default: 0] + change
            state.holds[key] = count == 0 ? nil : count
            tell(&state)
        }
    }

    private func tell(_ state: inout State) {
        let isReading = !state.isHeld
        guard let transport = state.transport, isReading != state.isReading else { return }
        state.isReading = isReading
        transport.setReading(isReading)
    }
}
