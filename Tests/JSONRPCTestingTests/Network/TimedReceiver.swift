// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCSession
import Synchronization

/// Notes on the transport's thread when a connection ends, and passes everything on.
final class TimedReceiver: MessageReceiver {
    private let receiver: any MessageReceiver
    private let end = Mutex<ContinuousClock.Instant?>(nil)

    var endTime: ContinuousClock.Instant? { end.withLock { $0 } }

    init(_ receiver: any MessageReceiver) { self.receiver = receiver }

    func transportOpened(_ transport: any MessageTransport) { receiver.transportOpened(transport) }
    func readBegan() { receiver.readBegan() }
    func readEnded() { receiver.readEnded() }
    func messageReceived(_ message: InboundMessage) { receiver.messageReceived(message) }
    func outboxDrained() { receiver.outboxDrained() }
    func roundTripMeasured(_ duration: Duration) { receiver.roundTripMeasured(duration) }

    func transportClosed(_ closure: TransportClosure) {
        end.withLock { $0 = .now }
        receiver.transportClosed(closure)
    }
}

/// Measures for how long the machine has given a thread no time, so that a limit of a test can allow for it.
final class StandstillGauge: Sendable {
    private let state = Mutex((lost: Duration.zero, isStopped: false))

    /// The sum of the times by which the thread came late.
    var lost: Duration { state.withLock { $0.lost } }

    init() {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isStopped }) {
                let start = ContinuousClock.now
                _ = poll(nil, 0, 10)
                let late = ContinuousClock.now - start - .milliseconds(10)
                state.withLock { $0.lost += max(late, .zero) }
            }
        }
    }

    func stop() { state.withLock { $0.isStopped = true } }
}
