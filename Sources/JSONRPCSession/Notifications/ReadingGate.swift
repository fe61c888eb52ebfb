// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Decides whether a connection is read: it is, unless somebody holds it back.
///
/// Holders come and go on several threads. What a transport is told is always the latest decision: whoever finds
/// another thread telling leaves it to that one, which looks again before it stops.
package final class ReadingGate: Sendable {
    private struct State {
        var transport: (any MessageTransport)?
        /// By holder: how many more holds than releases there were. A release can overtake its hold.
        var holds: [ObjectIdentifier: Int] = [:]
        /// What ``transport`` was told last.
        var isReading = true
        var isTelling = false

        var isHeld: Bool { holds.values.contains { $0 > 0 } }
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes a new connection under control; a fresh one is being read. Nil when there is none.
    package func attach(_ transport: (any MessageTransport)?) {
        state.withLock { state in
            state.transport = transport
            state.isReading = true
        }
        tell()
    }

    func hold(_ holder: AnyObject) { count(holder, 1) }

    /// Ends a hold, also one which has not come yet.
    func release(_ holder: AnyObject) { count(holder, -1) }

    private func count(_ holder: AnyObject, _ change: Int) {
        let key = ObjectIdentifier(holder)
        state.withLock { state in
            let count = state.holds[key, default: 0] + change
            state.holds[key] = count == 0 ? nil : count
        }
        tell()
    }

    private func tell() {
        var isFirst = true
        while true {
            let order = state.withLock { state -> (any MessageTransport, Bool)? in
                if isFirst && state.isTelling { return nil }
                let isReading = !state.isHeld
                guard let transport = state.transport, isReading != state.isReading else {
                    state.isTelling = false
                    return nil
                }
                state.isTelling = true
                state.isReading = isReading
                return (transport, isReading)
            }
            isFirst = false
            guard let (transport, isReading) = order else { return }
            transport.setReading(isReading)
        }
    }
}
