// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession

extension MessageReceiver {
    /// Delivers a message as a transport over a socket does: borrowed if it arrived whole, owned if it arrived in
    /// pieces.
    func deliver(_ bytes: [UInt8], isBinary: Bool, isAssembled: Bool) {
        if isAssembled { return messageReceived(InboundMessage(content: .owned(bytes), isBinary: isBinary)) }
        bytes.withUnsafeBytes { messageReceived(InboundMessage(content: .borrowed($0), isBinary: isBinary)) }
    }
}

/// A connector whose receivers are wrapped.
struct WrappingConnector: MessageConnector {
    let base: any MessageConnector
    let wrap: @Sendable (any MessageReceiver) -> any MessageReceiver

    func connect(receiver: any MessageReceiver) async throws { try await base.connect(receiver: wrap(receiver)) }
}
