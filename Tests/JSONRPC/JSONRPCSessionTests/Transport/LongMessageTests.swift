// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// Records which bytes a session copies in its critical section, and which it only references.
private final class RecordingTransport: MessageTransport {
    struct Record: Sendable {
        /// The bytes that the session passed as pointers, in its critical section.
        var copied = 0
        var pieces: [ArraySlice<UInt8>] = []
    }
    private let records = Mutex<[Record]>([])
    var all: [Record] { records.withLock { $0 } }

    private func add(_ record: Record) -> EnqueueOutcome {
        records.withLock { records in
            records.append(record)
            return .queued(OutboxTicket(position: UInt64(records.count)), mustWake: false)
        }
    }

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        add(Record(copied: pieces.reduce(0) { $0 + $1.count }))
    }
    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome { add(Record(pieces: pieces)) }
    func wake() {}
    func withdraw(_ ticket: OutboxTicket) -> Bool { false }
    var queuedByteCount: Int { 0 }
    func setReading(_ isReading: Bool) {}
    func close(code: UInt16, reason: String, deadline: Duration) {}

    func until(_ count: Int) async throws {
        try await yieldUntil("the transport has \(count) messages") { all.count >= count }
    }
}

/// Supports only the call for short messages.
private final class PlainTransport: MessageTransport {
    let message = Mutex<[UInt8]>([])

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        message.withLock { message in for piece in pieces { message += piece } }
        return .queued(OutboxTicket(position: 0), mustWake: false)
    }
    func wake() {}
    func withdraw(_ ticket: OutboxTicket) -> Bool { false }
    var queuedByteCount: Int { 0 }
    func setReading(_ isReading: Bool) {}
    func close(code: UInt16, reason: String, deadline: Duration) {}
}

@Suite(.inTurn(within: .seconds(60))) struct LongMessageTests {
    private let size = 64 << 20

    private func session(
        _ configuration: SessionConfiguration = SessionConfiguration()
    ) -> (DuplexSession, RecordingTransport) {
        let (session, transport) = (DuplexSession(configuration: configuration), RecordingTransport())
        session.receiver.transportOpened(transport)
        return (session, transport)
    }

    /// A text of `count` bytes as JSON.
    private func text(_ count: Int) -> RawJSON {
        RawJSON(unchecked: [0x5B, 0x22] + [UInt8](repeating: 0x61, count: count) + [0x22, 0x5D])
    }

    private func receive(_ text: String, _ session: DuplexSession) {
        session.receiver.messageReceived(InboundMessage(content: .owned(Array(text.utf8)), isBinary: false))
    }

    private func isSameMemory(_ left: ArraySlice<UInt8>, _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { $0.baseAddress == left.baseAddress && $0.count == left.count }
        }
    }

    @Test func theBytesOfALongCallAreNotTouchedInTheCriticalSection() async throws {
        let (session, transport) = session()
        let tail = [UInt8](repeating: 0x20, count: size)
        let call = Task { try? await session.driver.call("m", tail: tail, timeout: nil, watch: nil) }
        try await transport.until(1)
        let pieces = try #require(transport.all.first?.pieces)
        #expect(pieces.count == 2)
        #expect(String(decoding: pieces[0], as: UTF8.self) == #"{"jsonrpc":"2.0","id":1"#)
        // The transport got the caller's own array.
        #expect(isSameMemory(pieces[1], tail))
        call.cancel()
        _ = await call.value
    }

    @Test func theBytesOfALongCallThatWaitedForRoomAreNotTouchedEither() async throws {
        let (session, transport) = session(.with { $0.calls.maximumInFlight = 1 })
        let tail = [UInt8](repeating: 0x20, count: 1 << 20)
        let first = Task { try? await session.driver.call("first", tail: [0x7D], timeout: nil, watch: nil) }
        try await transport.until(1)
        let second = Task { try? await session.driver.call("m", tail: tail, timeout: nil, watch: nil) }
        try await yieldUntil("the second call waits for room") {
            session.driver.state.withLock { !$0.machine.queue.isEmpty }
        }
        receive(#"{"jsonrpc":"2.0","id":1,"result":0}"#, session)
        try await transport.until(2)
        #expect(isSameMemory(try #require(transport.all.last?.pieces.last), tail))
        for task in [first, second] {
            task.cancel()
            _ = await task.value
        }
    }

    @Test func shortCallsAreCopiedAsBefore() async throws {
        let (session, transport) = session()
        let calls = [5, 16 << 10].map { count in
            Task {
                try? await session.driver.call(
                    "m", tail: [UInt8](repeating: 0x20, count: count), timeout: nil, watch: nil)
            }
        }
        try await transport.until(2)
        #expect(transport.all.allSatisfy { $0.pieces.isEmpty && $0.copied > 0 })
        for call in calls {
            call.cancel()
            _ = await call.value
        }
    }

    @Test func ofABatchNoMoreThanAKilobyteOfEachMemberIsCopied() async throws {
        let (session, transport) = session(.with { $0.calls.batchLimits = .none })
        let entries = [
            BatchEntry(method: "short", params: text(3)), BatchEntry(method: "long", params: text(1 << 20)),
            BatchEntry(method: "longer", params: text(2 << 20), isNotification: true), BatchEntry(method: "end"),
        ]
        let batch = Task { _ = try? await session.batch(entries) }
        try await transport.until(1)
        let pieces = try #require(transport.all.first?.pieces)
        #expect(pieces.map { $0.count > 4096 } == [false, true, false, true, false])
        let message = try JSONValue(parsing: [UInt8](concatenating: pieces))
        #expect(message.arrayValue?.map { $0["id"] } == [1, 2, nil, 3])
        #expect(message.arrayValue?.map { $0["method"] } == ["short", "long", "longer", "end"])
        #expect(message.arrayValue?[1]["params"]?[0]?.stringValue?.utf8.count == 1 << 20)
        batch.cancel()
        await batch.value
    }

    @Test func longNotificationsAreShared() async throws {
        let (session, transport) = session()
        try await session.notify("n", params: [String(repeating: "a", count: size)])
        #expect(transport.all.map(\.copied) == [0])
        #expect(transport.all[0].pieces.reduce(0) { $0 + $1.count } > size)
    }

    @Test(arguments: [false, true]) func longAnswersAreShared(isSynchronous: Bool) async throws {
        let (session, transport) = session()
        let text = String(repeating: "a", count: 1 << 20)
        if isSynchronous {
            session.handleSynchronously("m") { text }
        } else {
            session.handle("m") { text }
        }
        receive(#"{"jsonrpc":"2.0","id":7,"method":"m"}"#, session)
        receive(#"{"jsonrpc":"2.0","id":8,"method":"none"}"#, session)
        try await transport.until(2)
        let long = try #require(transport.all.first { !$0.pieces.isEmpty })
        #expect(long.copied == 0)
        let answer = try JSONValue(parsing: [UInt8](concatenating: long.pieces))
        #expect(answer["id"] == 7)
        #expect(answer["result"]?.stringValue == text)
        let short = try #require(transport.all.first { $0.pieces.isEmpty })
        #expect(short.copied < 200)
    }

    @Test func severalLongAnswersInOneBurstArriveWhole() async throws {
        let wire = await Wire()
        wire.session.handleSynchronously("m") { (count: [String]) in
            String(repeating: "b", count: count.first.flatMap { Int($0) } ?? 0)
        }
        let sizes = [1, 20_000, 300_000, 5, 17_000, 40_000, 2]
        for size in sizes { try wire.peer.request("m", params: ["\(size)"], id: "\(size)") }
        for size in sizes {
            let answer = try await wire.peer.expectResponse(to: "\(size)")
            #expect(answer.json["result"]?.stringValue?.utf8.count == size)
        }
        await wire.session.close()
    }

    @Test func theTraceOfALongMessageIsWhole() async throws {
        let traced = Mutex<[WireTraceEvent]>([])
        let (session, transport) = session(
            .with { $0.diagnostics.trace = { event in traced.withLock { $0.append(event) } } })
        try await session.notify("n", params: [String(repeating: "a", count: 1 << 20)])
        #expect(traced.withLock { $0.map(\.bytes) } == [[UInt8](concatenating: transport.all[0].pieces)])
    }

    @Test func aLongCallInTheOutboxIsWithdrawn() async throws {
        let wire = await Wire(holdsOutbox: true)
        let params = text(1 << 20)
        let call = Task { try await wire.session.call("m", params: params, as: JSONValue.self) }
        try await wire.near.waitForOutbox { $0 > 1 << 20 }
        call.cancel()
        try await wire.near.waitForOutbox { $0 == 0 }
        await #expect(throws: CancellationError.self) { try await call.value }
        wire.near.releaseOutbox()
        await wire.session.close()
    }

    @Test func aTransportThatDoesNotShareGetsOneCopy() {
        let transport = PlainTransport()
        let outcome = transport.enqueue(sharing: [[1, 2], [], [3, 4, 5][1...]])
        #expect(outcome == .queued(OutboxTicket(position: 0), mustWake: false))
        #expect(transport.message.withLock { $0 } == [1, 2, 4, 5])
    }
}
