// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

/// Messages that a transport refuses because it has ended, but has not yet reported its end.
@Suite(.inTurn(within: .seconds(60)))
struct RefusingTransportTests {
    private struct Violation: Error, Equatable {}

    private final class EndedTransport: MessageTransport {
        func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome { .refused }
        func wake() {}
        func withdraw(_ ticket: OutboxTicket) -> Bool { false }
        var queuedByteCount: Int { 0 }
        func setReading(_ isReading: Bool) {}
        func close(code: UInt16, reason: String, deadline: Duration) {}
    }

    private let session = DuplexSession()
    private let transport = EndedTransport()

    private func reportEnd() {
        session.receiver.transportClosed(
            TransportClosure(
                initiator: .failure, code: 1002, reason: "", error: Violation(),
                unsentFrom: OutboxTicket(position: 0)))
    }

    @Test func theyFailWithTheReasonOfTheEnd() async throws {
        session.receiver.transportOpened(transport)
        async let call = outcome { try await session.callRaw("m") }
        async let long = outcome {
            try await session.call("m", params: [String(repeating: "x", count: 20_000)], as: Int.self)
        }
        async let notification = outcome { try await session.notify("n") }
        async let batch = session.batch([.call("a"), .notification("b")])
        let many = ManyCalls([MethodCall("m", as: Int.self)], over: session)
        try await yieldUntil("five calls are issued") { session.callCounts.issued >= 5 }
        reportEnd()
        var failures = [await call.failure, await long.failure, await notification.failure]
        failures.append(try await batch.first??.failure?.underlying)
        failures.append(await many.outcome(0)?.failure?.underlying)
        for failure in failures {
            let error = try #require(failure as? ClientError)
            #expect(error.code == .connectionLost && error.delivery == .notSent)
            #expect(error.cause as? Violation == Violation())
            #expect(error.closeCode == 1002)
        }
        #expect(session.callCounts.issued == session.callCounts.settled)
    }

    @Test func theyCanBeCancelledAndTimeOut() async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.clock = clock
        let session = DuplexSession(configuration: configuration)
        session.receiver.transportOpened(transport)
        let cancelled = Task { try await session.callRaw("m", timeout: nil) }
        async let expiring = outcome { try await session.callRaw("m", timeout: .seconds(1)) }
        try await yieldUntil("both calls are issued") { session.callCounts.issued >= 2 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await clock.waitForSleeper(dueIn: .seconds(1))
        clock.advance(by: .seconds(1))
        let error = try #require(await expiring.failure as? ClientError)
        #expect(error.code == .timedOut && error.delivery == .notSent)
        session.closeNow()
        session.receiver.transportClosed(
            TransportClosure(initiator: .local, code: 1000, reason: "", unsentFrom: OutboxTicket(position: 0)))
        await session.closed()
    }

    /// While this side closes the connection because of a violation, the errors of calls name the violation.
    @Test func aCallThatBeginsAfterAViolationNamesIt() async throws {
        let wire = await Wire(.with { $0.strictness = .strict }, holdsOutbox: true)
        // The connection cannot be closed before this is sent.
        try await wire.session.notify("n")
        try wire.peer.send("garbage")
        try await yieldUntil("the session is no longer open") { wire.session.state != .open }
        #expect(wire.session.state == .closing)
        let error = try #require(await outcome { try await wire.session.callRaw("m") }.failure as? ClientError)
        #expect(error.code == .connectionLost && error.delivery == .notSent)
        #expect((error.cause as? ClientError)?.irregularity == .malformedJSON)
        wire.near.releaseOutbox()
        await wire.session.closed()
    }
}
