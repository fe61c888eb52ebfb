// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

/// The proxy between plain sockets.
@Suite(.inTurn(within: .seconds(100))) struct TCPFaultProxyTests {
    private let server: ByteServer
    private let proxy: TCPFaultProxy

    init() throws {
        server = try ByteServer.echo()
        proxy = try TCPFaultProxy(upstreamPort: server.port)
    }

    private func client() async throws -> LoopbackSocket {
        try await onThread { [port = proxy.port] in try LoopbackSocket.patient(to: port) }
    }

    /// Sends bytes, and returns as many bytes of the echo.
    private func roundTrip(_ client: LoopbackSocket, _ bytes: [UInt8]) async throws -> [UInt8] {
        try await onThread {
            client.write(bytes)
            return client.read(upTo: bytes.count)
        }
    }

    // MARK: Bytes

    @Test func bytesPassBothWays() async throws {
        let (first, second) = (try await client(), try await client())
        #expect(try await roundTrip(first, [1, 2, 3]) == [1, 2, 3])
        #expect(try await roundTrip(second, [4]) == [4])
        try await proxy.wait { $0.bytesToClient == 4 }
        let statistics = proxy.statistics
        #expect(statistics.accepted == 2 && statistics.open == 2 && statistics.dialTimes.count == 2)
        #expect(statistics.dialTimes[0] <= statistics.dialTimes[1])
        #expect(statistics.bytesToUpstream == 4 && statistics.discardedBytes == 0)
        proxy.close()
    }

    @Test func manyBytesPassUnchanged() async throws {
        let client = try await client()
        var random = SeededGenerator(seed: 1)
        let bytes = (0..<2_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        async let sent = onThread { client.write(bytes) }
        let received = try await onThread { client.read(upTo: bytes.count) }
        #expect(try await sent)
        #expect(received == bytes)
        proxy.close()
    }

    @Test func anEndPassesInEachDirection() async throws {
        let client = try await client()
        let (bytes, isReset) = try await onThread {
            client.write([1, 2])
            shutdown(client.descriptor, Int32(SHUT_WR))
            return client.readToEnd()
        }
        #expect(bytes == [1, 2] && !isReset)
        try await proxy.wait { $0.open == 0 }
        proxy.close()
    }

    @Test func latencyCountsInEachDirection() async throws {
        let client = try await client()
        proxy.latency = .milliseconds(50)
        #expect(proxy.latency == .milliseconds(50))
        let start = ContinuousClock.now
        #expect(try await roundTrip(client, [1]) == [1])
        #expect(ContinuousClock.now - start >= .milliseconds(100))
        proxy.close()
    }

    @Test func bandwidthIsLimited() async throws {
        let client = try await client()
        proxy.toClient.bytesPerSecond = 100_000
        let start = ContinuousClock.now
        #expect(try await roundTrip(client, Array(repeating: 7, count: 20_000)).count == 20_000)
        // The bytes of 10 ms are sent at once.
        #expect(ContinuousClock.now - start >= .milliseconds(180))
        proxy.close()
    }

    @Test func aStallLosesNothing() async throws {
        let client = try await client()
        #expect(try await roundTrip(client, [0]) == [0])
        proxy.flow = .stall
        #expect(try await onThread { client.write([1, 2, 3]) })
        #expect(proxy.statistics.bytesToUpstream == 1)
        proxy.flow = .forward
        #expect(try await onThread { client.read(upTo: 3) } == [1, 2, 3])
        proxy.close()
    }

    @Test func buffersAreBounded() async throws {
        let client = try await client()
        #expect(try await roundTrip(client, [0]) == [0])
        // The server's echo waits, so it stops reading, and so does the proxy.
        proxy.toClient.flow = .stall
        client.limitWaiting(to: 1)
        let isSent = try await onThread { client.write([UInt8](repeating: 1, count: 64_000_000)) }
        #expect(!isSent)
        #expect(proxy.statistics.bytesToUpstream < 48_000_000)
        proxy.close()
    }

    // MARK: Half-open

    @Test func aHalfOpenConnectionTellsNobody() async throws {
        let (first, second) = (try await client(), try await client())
        #expect(try await roundTrip(first, [0]) == [0])
        #expect(try await roundTrip(second, [0]) == [0])
        proxy.flow = .discard
        try await onThread {
            first.write([1, 2, 3])
            second.reset()
        }
        try await proxy.wait { $0.discardedBytes == 3 }
        #expect(proxy.statistics.open == 2)
        #expect(proxy.statistics.bytesToUpstream == 2)
        // The lost bytes would be missing in the middle of the stream.
        proxy.flow = .forward
        try await proxy.wait { $0.open == 0 }
        #expect(try await onThread { first.readToEnd() }.isReset)
        #expect(try await roundTrip(client(), [5]) == [5])
        proxy.close()
    }

    // MARK: Ends

    @Test(arguments: [true, false], [TCPFaultProxy.Ending.reset, .finish])
    func aConnectionIsCutAtAByte(isToClient: Bool, ending: TCPFaultProxy.Ending) async throws {
        var conditions = TCPFaultProxy.Conditions()
        conditions.cutAfterBytes = 5
        conditions.cutEnding = ending
        if isToClient { proxy.toClient = conditions } else { proxy.toUpstream = conditions }
        let client = try await client()
        let (bytes, isReset) = try await onThread {
            client.write([1, 2, 3])
            _ = client.read(upTo: 3)
            client.write([4, 5, 6, 7])
            return client.readToEnd()
        }
        try await proxy.wait { $0.open == 0 }
        let statistics = proxy.statistics
        #expect((isToClient ? statistics.bytesToClient : statistics.bytesToUpstream) == 5)
        #expect([[], [4, 5]].contains(bytes))
        if isToClient { #expect(bytes == [4, 5]) }
        #expect(isReset || ending == .finish)
        proxy.close()
    }

    @Test func everyConnectionCanBeEnded() async throws {
        let clients = [try await client(), try await client()]
        for client in clients { #expect(try await roundTrip(client, [1]) == [1]) }
        proxy.endConnections()
        for client in clients { #expect(try await onThread { client.readToEnd() }.isReset) }
        try await proxy.wait { $0.open == 0 }
        let last = try await client()
        #expect(try await roundTrip(last, [1]) == [1])
        proxy.endConnections(by: .finish)
        #expect(try await onThread { last.readToEnd() }.isReset == false)
        proxy.close()
    }

    @Test func aResetPassesThrough() async throws {
        let resetting = try ByteServer { connection in
            _ = connection.read()
            connection.reset()
        }
        proxy.upstreamPort = resetting.port
        let client = try await client()
        let end = try await onThread {
            client.write([1])
            return client.readToEnd()
        }
        #expect(end.isReset && end.bytes.isEmpty)
        proxy.close()
    }

    // MARK: Connections

    @Test func theServerMayRestartElsewhere() async throws {
        let other = try ByteServer { connection in
            connection.write([9])
            _ = connection.read()
        }
        let before = try await client()
        #expect(try await roundTrip(before, [1]) == [1])
        proxy.upstreamPort = other.port
        #expect(proxy.upstreamPort == other.port)
        let after = try await client()
        #expect(try await onThread { after.read(upTo: 1) } == [9])
        #expect(try await roundTrip(before, [2]) == [2])
        proxy.close()
    }

    @Test func aMissingServerIsCounted() async throws {
        let nobody = try LoopbackSocket.bound()
        proxy.upstreamPort = Int(try nobody.localPort())
        let refused = try await client()
        #expect(try await onThread { refused.readToEnd() }.isReset)
        proxy.upstreamPort = 1_000_000
        let impossible = try await client()
        #expect(try await onThread { impossible.readToEnd() }.isReset)
        try await proxy.wait { $0.refusedByUpstream == 2 }
        #expect(proxy.statistics.accepted == 2)
        proxy.close()
    }

    @Test func newConnectionsCanBeResetHeldAndRefused() async throws {
        proxy.acceptance = .reset
        let reset = try await client()
        #expect(try await onThread { reset.readToEnd() }.isReset)
        proxy.acceptance = .hold
        let held = try await client()
        #expect(try await onThread { held.write([1, 2, 3]) })
        try await proxy.wait { $0.open == 1 }
        #expect(proxy.statistics.bytesToUpstream == 0)
        for _ in 0..<3 {
            proxy.acceptance = .refuse
            await #expect(throws: (any Error).self) { try await client() }
            proxy.acceptance = .forward
            #expect(try await roundTrip(client(), [1]) == [1])
        }
        proxy.close()
    }

    @Test func closingEndsEverything() async throws {
        let client = try await client()
        #expect(try await roundTrip(client, [1]) == [1])
        async let waiting: Void = proxy.wait { $0.accepted == 1000 }
        proxy.close()
        proxy.close()
        try await waiting
        #expect(try await onThread { client.readToEnd() }.isReset)
        #expect(proxy.statistics.open == 0)
        await #expect(throws: (any Error).self) { try await self.client() }
        proxy.flow = .stall
    }

    @Test func aWaitEndsWithItsTask() async throws {
        let waiting = Task { [proxy] in try await proxy.wait { $0.accepted == 1000 } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        proxy.close()
    }

    @Test func proxiesLeaveNoDescriptorsBehind() async throws {
        let before = try ProcessResources.current().descriptors
        for _ in 0..<100 {
            let proxy = try TCPFaultProxy(upstreamPort: server.port)
            let client = try await onThread { try LoopbackSocket.patient(to: proxy.port) }
            #expect(try await roundTrip(client, [1]) == [1])
        }
        // Each connection had at least five. Other tests run at the same time.
        #expect(try ProcessResources.current().descriptors < before + 200)
        proxy.close()
    }
}
