// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Messages that the service thread frames, fragment by fragment.
@Suite(.inTurn(within: .seconds(60))) struct LongMessageTests {
    private var webSocket: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.maximumMessageBytes = 128 << 20
        configuration.proxy = .none
        return configuration
    }

    /// An array with one text of `count` bytes.
    private func params(_ count: Int) -> RawJSON {
        let letters = (0..<251).map { UInt8(0x20 + $0 % 0x5F) }.map { [0x22, 0x5C].contains($0) ? 0x5F : $0 }
        var bytes: [UInt8] = Array("[\"".utf8)
        bytes.reserveCapacity(count + 4)
        while bytes.count < count { bytes += letters }
        return RawJSON(unchecked: bytes + Array("\"]".utf8))
    }

    @Test func anEchoOf16MiBIsIntactAndOtherCallsKeepTheirOrder() async throws {
        var configuration = JSONRPCListener.Configuration()
        configuration.session.inbound.maximumBytes = 256 << 20
        configuration.webSocket.connection.maximumMessageBytes = 128 << 20
        // It has a loop of its own: with the thread sanitizer, scanning such a message blocks the loop for seconds, and
        // a side that makes no progress for 10 s is disconnected.
        let loops = WebSocketEventLoops()
        let listener = try await JSONRPCListener.listen(configuration: configuration, on: loops) { session in
            session.handle("echo") { (params: RawJSON) in params }
        }
        var sessionConfiguration = SessionConfiguration()
        sessionConfiguration.calls.maximumQueuedBytes = 128 << 20
        let client = try await JSONRPCClient.connect(
            to: listener.url, webSocket: webSocket, configuration: sessionConfiguration)
        let params = params(16 << 20)
        async let long = client.call("echo", params: params, as: RawJSON.self)
        for number in 0..<50 {
            #expect(try await client.call("echo", params: [number], as: [Int].self) == [number])
        }
        let echo = try await long
        #expect(echo.bytes == params.bytes)
        await client.close()
        await listener.stop()
        await loops.shutDown()
    }

    @Test func theIDsOnTheWireAscendAndFragmentsHoldAtMost64KiB() async throws {
        let peer = try RawPeer { socket -> (starts: [String], longest: Int) in
            try socket.acceptUpgrade()
            var (starts, longest): ([String], Int) = ([], 0)
            while starts.count < 60, let frame = try socket.readFrame() {
                longest = max(longest, frame.payload.count)
                guard frame.opcode == RawFrame.Opcode.text else { continue }
                starts.append(String(decoding: frame.payload.prefix(40), as: UTF8.self))
            }
            return (starts, longest)
        }
        let client = try await JSONRPCClient.connect(to: peer.url, webSocket: webSocket)
        let (short, long) = (params(10), params(300_000))
        let calls = (0..<60).map { number in
            Task { _ = try? await client.call("m", params: number % 3 == 0 ? long : short, as: RawJSON.self) }
        }
        let seen = try await peer.outcome()
        #expect(seen.longest <= 65_536)
        #expect(seen.starts.count == 60)
        for (index, start) in seen.starts.enumerated() {
            #expect(start.hasPrefix(#"{"jsonrpc":"2.0","id":\#(index + 1),"#))
        }
        for call in calls { call.cancel() }
        for call in calls { await call.value }
        await client.close()
    }

    @Test func aLossInTheMiddleOfALongCallLeavesItsOutcomeUnknownAndThoseBehindUnsent() async throws {
        let gate = Gate()
        let peer = try RawPeer(receiveBufferBytes: 4096) { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try gate.wait()
            socket.reset()
        }
        var configuration = SessionConfiguration()
        configuration.calls.maximumQueuedBytes = 128 << 20
        let session = DuplexSession(configuration: configuration)
        try await WebSocketConnector.patient(to: peer.url).connect(receiver: session.receiver)
        let params = params(32 << 20)
        let long = Task { try await clientError { try await session.call("long", params: params, as: RawJSON.self) } }
        try await yieldUntil("the long call is in flight") { session.callsInFlight >= 1 }
        let next = Task { try await clientError { try await session.call("next", as: RawJSON.self) } }
        try await yieldUntil("the next call is issued") { session.callCounts.issued >= 2 }
        gate.open()
        #expect(try await long.value?.delivery == .outcomeUnknown)
        #expect(try await next.value?.delivery == .notSent)
        await session.close()
    }
}
