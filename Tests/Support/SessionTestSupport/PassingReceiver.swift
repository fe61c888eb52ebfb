// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession

/// Passes every call on. A test can note on the transport's thread when the connection opens and when it ends.
package final class PassingReceiver: MessageReceiver {
    private let receiver: any MessageReceiver
    private let opened: @Sendable (any MessageTransport) -> Void
    private let ended: @Sendable () -> Void

    package init(
        _ receiver: any MessageReceiver, opened: @escaping @Sendable (any MessageTransport) -> Void = { _ in },
        ended: @escaping @Sendable () -> Void = {}
    ) {
        self.receiver = receiver
        self.opened = opened
        self.ended = ended
    }

    package func transportOpened(_ transport: any MessageTransport) {
        opened(transport)
        receiver.transportOpened(transport)
    }

    package func readBegan() { receiver.readBegan() }
    package func readEnded() { receiver.readEnded() }
    package func messageReceived(_ message: InboundMessage) { receiver.messageReceived(message) }
    package func outboxDrained() { receiver.outboxDrained() }
    package func roundTripMeasured(_ duration: Duration) { receiver.roundTripMeasured(duration) }

    package func transportClosed(_ closure: TransportClosure) {
        ended()
        receiver.transportClosed(closure)
    }
}

/// A connector whose receivers are wrapped, such as by a ``PassingReceiver``.
package struct WrappingConnector: MessageConnector {
    private let base: any MessageConnector
    private let wrap: @Sendable (any MessageReceiver) -> any MessageReceiver

    package init(
        _ base: any MessageConnector, _ wrap: @escaping @Sendable (any MessageReceiver) -> any MessageReceiver
    ) {
        self.base = base
        self.wrap = wrap
    }

    package func connect(receiver: any MessageReceiver) async throws {
        try await base.connect(receiver: wrap(receiver))
    }
}
