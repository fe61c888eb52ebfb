// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

private let megabyte = 1 << 20

/// Connections at their limits, over sockets. Each test has a process of its own, because it measures the heap.
@Suite(.inTurn(within: .seconds(300))) struct WebSocketMemoryTests {
    @Test(.startsProcess) func theOutbox() async {
        await #expect(processExitsWith: .success) {
            for (attack, count) in [("short messages", 1000), ("long messages", 100_000)] {
                let end = Gate()
                let peer = try RawPeer(receiveBufferBytes: 4096) { socket in
                    try socket.acceptUpgrade()
                    try end.wait()
                }
                let session = DuplexSession()
                try await WebSocketConnector(to: peer.url).connect(receiver: session.receiver)
                let text = String(repeating: "a", count: count)
                try await MemoryRow(limit: "bytes in the outbox", attack: attack, documented: 4 << 20, factor: 2)
                    .measure {
                        // It waits when the outbox is full.
                        let sender = Task { while !Task.isCancelled { try await session.notify("n", params: [text]) } }
                        try await yieldUntil("the outbox is full") { session.queuedByteCount >= 4 << 20 }
                        return sender
                    }
                end.open()
                session.closeNow()
            }
        }
    }

    /// A client whose server does not end its message.
    @Test(.startsProcess) func anUnfinishedMessage() async {
        await #expect(processExitsWith: .success) {
            let (begin, end) = (Gate(), Gate())
            let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
            let peer = try RawPeer { socket in
                try socket.acceptUpgrade()
                try begin.wait()
                try socket.send(unfinishedMessage(megabytes: 31, maskingKey: nil))
                _ = try socket.readFrame()
                arrival.finish()
                try end.wait()
            }
            let connection = try await WebSocketConnection.connect(to: peer.url, receiver: QuietHandler())
            try await MemoryRow(
                limit: "size of a message from the peer", attack: "31 of 32 MiB in fragments", documented: 32 << 20,
                factor: 2
            ).measure {
                begin.open()
                for await _ in arrived {}
                return connection
            }
            end.open()
        }
    }

    /// Clients of a listener that do not end their messages.
    @Test(.startsProcess) func theUnfinishedMessagesOfAListener() async {
        await #expect(processExitsWith: .success) {
            var configuration = WebSocketListener.Configuration()
            configuration.unfinishedMessageBytes = 24 << 20
            let listener = try await WebSocketListener.listen(configuration: configuration) { _ in
                .accept(QuietHandler())
            }
            let end = Gate()
            let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
            let message = unfinishedMessage(megabytes: 9, maskingKey: [1, 2, 3, 4])
            try await MemoryRow(
                limit: "memory for the unfinished messages of all connections", attack: "5 clients with 9 MiB each",
                documented: 24 << 20, factor: 2
            ).measure {
                BlockingThread.run {
                    let sockets = (0..<5).compactMap { _ in try? RawSocket(connectingTo: listener.port) }
                    for socket in sockets {
                        _ = try? socket.requestUpgrade()
                        try? socket.send(message)
                        // The answer to a PING, or a CLOSE frame.
                        _ = try? socket.readFrame()
                    }
                    arrival.finish()
                    try? end.wait()
                    for socket in sockets { socket.close() }
                }
                for await _ in arrived {}
            }
            end.open()
            await listener.stop()
        }
    }
}

/// A message without its last frame, followed by a PING.
private func unfinishedMessage(megabytes: Int, maskingKey: [UInt8]?) -> [UInt8] {
    let payload = [UInt8](repeating: UInt8(ascii: "a"), count: megabyte)
    func frame(_ opcode: UInt8) -> [UInt8] {
        RawFrame(opcode, payload, isFinal: false, maskingKey: maskingKey).bytes
    }
    var bytes = frame(RawFrame.Opcode.text)
    let next = frame(RawFrame.Opcode.continuation)
    for _ in 1..<megabytes { bytes += next }
    return bytes + RawFrame(RawFrame.Opcode.ping, maskingKey: maskingKey).bytes
}

final class QuietHandler: MessageReceiver {
    func transportOpened(_ transport: any MessageTransport) {}
    func messageReceived(_ message: InboundMessage) {}
    func outboxDrained() {}
    func roundTripMeasured(_ duration: Duration) {}
    func transportClosed(_ closure: TransportClosure) {}
}
