// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCHTTP

/// Closing of a client.
@Suite(.inTurn(within: .seconds(60)))
struct ClosingTests {
    private let door = Door()

    /// A server whose answers wait at the door.
    private func slowServer() -> FakeServer {
        FakeServer { [door] arrival in
            try await door.pass()
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
    }

    private func failure(of operation: () async throws -> some Any) async throws -> ClientError {
        try #require(await error(of: operation) as? ClientError)
    }

    @Test func aClosedClientSendsNothing() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server)
        let view = rpc.adding(headerFields: [.authorization: "mine"])
        #expect(try await rpc.call(Subtract(1)) == 1)
        await rpc.close()
        await rpc.close()
        for failure in [
            try await failure { try await rpc.call(Subtract(2)) },
            try await failure { try await rpc.call(Log("line")) },
            try await failure { try await view.call(Subtract(5)) },
        ] {
            #expect(failure.code == .closed)
            #expect(failure.delivery == .notSent)
        }
        for outcome in try await rpc.batch([Subtract(3), Subtract(4)]) {
            #expect(outcome.callError?.delivery == .notSent)
        }
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func callsInFlightHaveTimeToEnd() async throws {
        let server = FakeServer { [door] arrival in
            if arrival.number == 0 { try await door.pass() }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.drainTimeout = .seconds(3600) })
        let call = Task { try await rpc.call(Subtract(42, 23)) }
        await server.arrivals.wait(count: 1)
        let closed = EventLog<Bool>()
        let closing = Task {
            await rpc.close()
            closed.record(true)
        }
        try await yieldUntil("the client refuses calls") {
            await error(of: { try await rpc.call(Subtract(1)) }) != nil
        }
        #expect(closed.elements.isEmpty)
        door.open()
        #expect(try await call.value == 19)
        await closing.value
    }

    enum Timeout: CaseIterable { case standard, none, ownClock }

    @Test(arguments: Timeout.allCases)
    func callsThatLastLongerAreEnded(_ timeout: Timeout) async throws {
        let server = slowServer()
        let configuration = SessionConfiguration.with {
            $0.drainTimeout = .zero
            if timeout == .none { $0.calls.timeout = nil }
            if timeout == .ownClock { $0.clock = ManualClock() }
        }
        let rpc = JSONRPCHTTPClient.over(server, configuration: configuration)
        let call = Task { try await rpc.call(Subtract(1)) }
        let batch = Task { try await rpc.batch([Subtract(1), Subtract(2)]) }
        await server.arrivals.wait(count: 2)
        await rpc.close()
        let failure = try await failure { try await call.value }
        #expect(failure.code == .closed)
        #expect(failure.delivery == .outcomeUnknown)
        for outcome in try await batch.value { #expect(outcome.callError?.delivery == .outcomeUnknown) }
        #expect(server.cancellations.elements.count == 2)
    }

    @Test func aCancelledCloseDoesNotWait() async throws {
        let server = slowServer()
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.drainTimeout = .seconds(3600) })
        let call = Task { try await rpc.call(Subtract(1)) }
        await server.arrivals.wait(count: 1)
        let closing = Task { await rpc.close() }
        closing.cancel()
        await closing.value
        #expect(try await failure { try await call.value }.code == .closed)
    }

    @Test func callsThatWaitForRoomOrForAnotherAttemptAreEnded() async throws {
        let retried = EventLog<Bool>()
        let server = FakeServer { _ in .text("", .serviceUnavailable) }
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.calls.timeout = nil }) {
            $0.retry = MemberRetryPolicy()
            $0.retry?.baseDelay = .seconds(3600)
            $0.retry?.maximumDelay = .seconds(3600)
            $0.retry?.randomFraction = { 1 }
            $0.retry?.isIdempotent = { _ in true }
            $0.observe = { if case .retrying = $0 { retried.record(true) } }
        }
        let call = Task { try await rpc.call(Subtract(1)) }
        await retried.wait(count: 1)
        rpc.closeNow()
        #expect(try await failure { try await call.value }.code == .transportFailed)

        let slow = slowServer()
        let narrow = JSONRPCHTTPClient.over(slow) { $0.maximumRequestsInFlight = 1 }
        let calls = (1...3).map { number in Task { try await narrow.call(Subtract(number)) } }
        await slow.arrivals.wait(count: 1)
        narrow.closeNow()
        for call in calls { #expect(try await failure { try await call.value }.code == .closed) }
        #expect(slow.arrivals.elements.count == 1)
    }

    @Test func gatheredCallsAreSent() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.clock = ManualClock() }) {
            $0.gathering = CallGathering(window: .seconds(3600))
        }
        let calls = (1...3).map { number in Task { try await rpc.call(Subtract(number)) } }
        try await yieldUntil("three calls are gathered") { rpc.scheduler?.gatheredCount == 3 }
        await rpc.close()
        for (index, call) in calls.enumerated() { #expect(try await call.value == index + 1) }
        #expect(server.arrivals.elements.map(\.members.count) == [3])
    }
}
