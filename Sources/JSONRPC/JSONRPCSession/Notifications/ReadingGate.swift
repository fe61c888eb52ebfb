// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Decides whether a connection is read. It is read unless a holder stops it.
///
/// Holders call from several threads. The transport is notified under the lock, so that it gets the decisions in order.
/// A hold from the thread that reads takes effect before that thread reads on. If another thread notified the
/// transport, much could be read before.
package final class ReadingGate: Sendable {
    private struct State {
        var transport: (any MessageTransport)?
        /// The number of holds minus the number of releases, by holder. A release can overtake its hold.
        var holds: [ObjectIdentifier: Int] = [:]
        /// The last decision passed to ``transport``.
        var isReading = true

        var isHeld: Bool { holds.values.contains { $0 > 0 } }
    }

    private let state = Mutex(State())

    package init() {}

    /// Controls a new connection, which is being read; `nil` if there is none.
    package func attach(_ transport: (any MessageTransport)?) {
        state.withLock { state in
            state.transport = transport
            state.isReading = true
            tell(&state)
        }
    }

    func hold(_ holder: AnyObject) { count(holder, 1) }

    /// Ends a hold, even if the hold has not arrived yet.
    func release(_ holder: AnyObject) { count(holder, -1) }

    /// Repeats a decision to stop, because the transport may have resumed reading by itself.
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
