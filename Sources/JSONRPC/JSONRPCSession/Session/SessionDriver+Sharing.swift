// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// Long messages: the session's critical section takes no longer for them than for short messages.
extension SessionDriver {
    /// Messages that are longer are shared with the transport instead of being copied under the lock.
    static var sharingThreshold: Int { 16 << 10 }

    /// Puts a long message into the outbox: it takes no longer than a short message. Called under the lock.
    func enqueue(sharing pieces: [ArraySlice<UInt8>], to transport: any MessageTransport) -> EnqueueOutcome {
        guard let tracer else { return transport.enqueue(sharing: pieces) }
        return tracer.send(sharing: pieces, to: transport)
    }

    /// A request from its beginning to the end of its id.
    func requestStart(_ id: RequestID) -> [UInt8] {
        var start: [UInt8] = []
        start.reserveCapacity(requestHead.count + JSONText.maximumDigits)
        writer.beginRequest(id: id, &start)
        return start
    }
}
