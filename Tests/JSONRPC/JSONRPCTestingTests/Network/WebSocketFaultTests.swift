// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import SessionTestSupport
import TestSupport
import TestTurns
import Testing

/// A WebSocket client that connects through the proxy.
@Suite(.inTurn(within: .seconds(100))) struct WebSocketFaultTests {
    private func connector(
        to proxy: TCPFaultProxy, _ edit: (inout WebSocketConfiguration) -> Void = { _ in }
    ) -> WebSocketConnector {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        edit(&configuration)
        return WebSocketConnector(to: "ws://127.0.0.1:\(proxy.port)", configuration: configuration)
    }

    private func connected(_ proxy: TCPFaultProxy) async throws -> DuplexSession {
        let session = DuplexSession()
        try await connector(to: proxy).connect(receiver: session.receiver)
        return session
    }

    private func adding() async throws -> JSONRPCListener {
        try await JSONRPCListener.listen { session in
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
        }
    }

    @Test(arguments: Fault.KillPoint.allCases)
    func aCallOverASocketKnowsWhetherItMayHaveBeenExecuted(point: Fault.KillPoint) async throws {
        let executed = EventLog<Int>()
        let ended = EventLog<Bool>()
        let listener = try await JSONRPCListener.listen { session in
            session.handle("note") { (numbers: [Int]) in
                executed.record(numbers[0])
                return numbers[0]
            }
            Task {
                await session.closed()
                ended.record(true)
            }
        }
        let faults = FaultInjector(rules: [FaultRule(.kill(point), .outbound, message: 2)])
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        let session = DuplexSession()
        let connector = WebSocketConnector(to: listener.url, configuration: configuration)
        try await faults.connector(over: connector).connect(receiver: session.receiver)
        #expect(try await session.call("note", params: [1], as: Int.self) == 1)
        let error = await #expect(throws: ClientError.self) {
            try await session.call("note", params: [2], as: Int.self, timeout: .none)
        }
        #expect(error?.code == .connectionLost, "\(faults)")
        #expect(error?.delivery == (point == .beforeWriting ? .notSent : .outcomeUnknown), "\(faults)")
        #expect(error?.cause is InjectedFaultError)
        await ended.wait(count: 1)
        #expect(executed.elements == (point == .afterDelivery ? [1, 2] : [1]), "\(faults)")
        await session.close()
        await listener.stop()
    }

    /// A half-open connection is detected within the interval and the timeout of PINGs. The limit allows half a second
    /// more, and standstills of the machine.
    @Test func aHalfOpenConnectionIsFoundByItsPings() async throws {
        let listener = try await adding()
        let proxy = try TCPFaultProxy(upstreamPort: listener.port)
        let session = DuplexSession()
        let endTimes = EventLog<ContinuousClock.Instant>()
        let receiver = PassingReceiver(session.receiver, ended: { endTimes.record(.now) })
        try await connector(to: proxy) {
            $0.pingInterval = .milliseconds(300)
            $0.pingTimeout = .milliseconds(300)
        }.connect(receiver: receiver)
        #expect(try await session.call("add", params: [1, 2], as: Int.self) == 3)
        let gauge = StandstillGauge()
        let start = ContinuousClock.now
        proxy.flow = .discard
        let error = await #expect(throws: ClientError.self) {
            try await session.call("add", params: [1, 2], as: Int.self, timeout: .none)
        }
        gauge.stop()
        #expect(error?.code == .connectionLost && error?.delivery == .outcomeUnknown)
        let time = try #require(endTimes.elements.first) - start
        let limit = Duration.milliseconds(1100) + gauge.lost
        #expect(time >= .milliseconds(250) && time < limit, "found after \(time), lost \(gauge.lost)")
        try await proxy.wait { $0.discardedBytes > 0 }
        #expect(proxy.statistics.open == 1)
        await session.close()
        proxy.close()
        await listener.stop()
    }

    @Test func aCutInTheMiddleOfAnAnswerFailsTheCall() async throws {
        let listener = try await adding()
        let proxy = try TCPFaultProxy(upstreamPort: listener.port)
        let session = try await connected(proxy)
        #expect(try await session.call("add", params: [1, 2], as: Int.self) == 3)
        proxy.toClient.cutAfterBytes = proxy.statistics.bytesToClient + 10
        let error = await #expect(throws: ClientError.self) {
            try await session.call("add", params: [1, 2], as: Int.self, timeout: .none)
        }
        #expect(error?.code == .connectionLost)
        await session.close()
        proxy.close()
        await listener.stop()
    }

    @Test func latencyAndBandwidthOnlySlowCallsDown() async throws {
        let listener = try await adding()
        let proxy = try TCPFaultProxy(upstreamPort: listener.port)
        let session = try await connected(proxy)
        proxy.latency = .milliseconds(20)
        proxy.toClient.bytesPerSecond = 20_000
        try await withThrowingTaskGroup(of: Int.self) { group in
            for term in 0..<50 { group.addTask { try await session.call("add", params: [term, 1], as: Int.self) } }
            var sum = 0
            for try await term in group { sum += term }
            #expect(sum == 50 * 51 / 2)
        }
        await session.close()
        proxy.close()
        await listener.stop()
    }

    @Test func aServerRestartsAtAnotherPort() async throws {
        let first = try await adding()
        let proxy = try TCPFaultProxy(upstreamPort: first.port)
        let session = try await connected(proxy)
        #expect(try await session.call("add", params: [1], as: Int.self) == 1)
        await first.stop()
        let second = try await adding()
        proxy.upstreamPort = second.port
        let next = try await connected(proxy)
        #expect(try await next.call("add", params: [2], as: Int.self) == 2)
        #expect(proxy.statistics.accepted == 2)
        await next.close()
        await session.close()
        proxy.close()
        await second.stop()
    }
}
