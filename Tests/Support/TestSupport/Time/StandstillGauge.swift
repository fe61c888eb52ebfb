// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Measures how long the machine did not run a thread, so that a time limit of a test can allow for it.
package final class StandstillGauge: Sendable {
    private let state = Mutex((lost: Duration.zero, isStopped: false))

    /// The sum of the delays of the thread.
    package var lost: Duration { state.withLock { $0.lost } }

    package init() {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isStopped }) {
                let start = ContinuousClock.now
                _ = poll(nil, 0, 10)
                let late = ContinuousClock.now - start - .milliseconds(10)
                state.withLock { $0.lost += max(late, .zero) }
            }
        }
    }

    package func stop() { state.withLock { $0.isStopped = true } }
}
