// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

/// The load of this test delays messages of other tests.
@Suite(.inTurn(within: .seconds(120)))
struct CallsInFlightTests {
    /// A hundred thousand calls in flight at once, answered in reverse.
    @Test func hundredThousandCallsInFlight() async throws {
        let count = 100_000
        let session = DuplexSession(
            configuration: .with {
                $0.calls.maximumInFlight = count
                $0.calls.maximumQueuedBytes = 1 << 30
                // The thread sanitizer on a loaded machine needs more than the minute of the default.
                $0.calls.timeout = .seconds(600)
            })
        let server = ReversingServer(count: count)
        try await InMemoryConnector { server }.connect(receiver: session.receiver)
        // A task group is not used, because leaving one costs a search among all its tasks.
        let tasks = (0..<count).map { _ in Task { try await session.callRaw("m").text } }
        var right = 0
        for task in tasks where try await task.value == "7" { right += 1 }
        #expect(right == count)
        await session.close()
        #expect(session.callCounts.issued == UInt64(count))
        #expect(session.callCounts.settled == UInt64(count))
    }
}

/// Answers when a number of calls have arrived, the last one first.
private final class ReversingServer: MessageReceiver {
    private let count: Int
    private let state = Mutex((ids: [Int](), transport: (any MessageTransport)?.none))

    init(count: Int) { self.count = count }

    func transportOpened(_ transport: any MessageTransport) { state.withLock { $0.transport = transport } }

    func messageReceived(_ message: InboundMessage) {
        let bytes =
            switch message.content {
            case .borrowed(let bytes): Array(bytes)
            case .owned(let bytes): bytes
            }
        let digits = bytes.drop { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) }
            .drop { $0 != UInt8(ascii: ":") }.dropFirst().prefix { $0 != UInt8(ascii: ",") }
        guard let id = Int(String(decoding: digits, as: UTF8.self)) else { return }
        let (ids, transport) = state.withLock { state -> ([Int], (any MessageTransport)?) in
            state.ids.append(id)
            return state.ids.count == count ? (state.ids, state.transport) : ([], state.transport)
        }
        guard let transport, !ids.isEmpty else { return }
        for id in ids.reversed() {
            let answer = Array(#"{"jsonrpc":"2.0","id":\#(id),"result":7}"#.utf8)
            answer.withUnsafeBytes { piece in
                withUnsafePointer(to: piece) { _ = transport.enqueue(UnsafeBufferPointer(start: $0, count: 1)) }
            }
        }
        transport.wake()
    }

    func outboxDrained() {}

    func roundTripMeasured(_ duration: Duration) {}

    func transportClosed(_ closure: TransportClosure) {}
}
