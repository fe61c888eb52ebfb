// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
import Synchronization

/// Notes on the transport's thread when a connection ends, and passes everything on.
package final class TimedReceiver: MessageReceiver {
    private let receiver: any MessageReceiver
    private let end = Mutex<ContinuousClock.Instant?>(nil)

    package var endTime: ContinuousClock.Instant? { end.withLock { $0 } }

    package init(_ receiver: any MessageReceiver) { self.receiver = receiver }

    package func transportOpened(_ transport: any MessageTransport) { receiver.transportOpened(transport) }
    package func readBegan() { receiver.readBegan() }
    package func readEnded() { receiver.readEnded() }
    package func messageReceived(_ message: InboundMessage) { receiver.messageReceived(message) }
    package func outboxDrained() { receiver.outboxDrained() }
    package func roundTripMeasured(_ duration: Duration) { receiver.roundTripMeasured(duration) }

    package func transportClosed(_ closure: TransportClosure) {
        end.withLock { $0 = .now }
        receiver.transportClosed(closure)
    }
}

/// A connector whose connections note when they end.
package final class TimedConnector: MessageConnector {
    private let base: any MessageConnector
    private let receivers = Mutex<[TimedReceiver]>([])

    package init(_ base: any MessageConnector) { self.base = base }

    /// The time at which the first connection ended; `nil` before its end.
    package var firstEndTime: ContinuousClock.Instant? { receivers.withLock { $0.first?.endTime } }

    package func connect(receiver: any MessageReceiver) async throws {
        let receiver = TimedReceiver(receiver)
        receivers.withLock { $0.append(receiver) }
        try await base.connect(receiver: receiver)
    }
}
