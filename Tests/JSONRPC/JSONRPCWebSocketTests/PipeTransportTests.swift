// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCSession
import Synchronization
import TestTurns
import Testing

/// Two sessions over a transport that is not a WebSocket: one line of bytes in memory for each message.
@Suite(.inTurn(within: .seconds(60))) struct PipeTransportTests {
    @Test func twoSessionsCallEachOtherOverAPipe() async throws {
        let (near, far) = (DuplexSession(), DuplexSession())
        near.handle("negate") { (terms: [Int]) in -terms.reduce(0, &+) }
        far.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
        Pipe.open(near.receiver, far.receiver)
        let sum: Int = try await near.call("add", params: [1, 2])
        #expect(sum == 3)
        let difference: Int = try await far.call("negate", params: [4, 5])
        #expect(difference == -9)
        await near.close(code: 1000)
        await far.closed()
        #expect(far.closure?.initiator == .remote)
        #expect(far.closure?.code == 1000)
        await #expect(throws: ClientError.self) { try await far.call("negate", params: [1], as: Int.self) }
    }

    @Test func aLongMessageAndManyCallsInFlightKeepTheirOrderAndBytes() async throws {
        let (near, far) = (DuplexSession(), DuplexSession())
        far.handle("echo") { (texts: [String]) in texts[0] }
        Pipe.open(near.receiver, far.receiver)
        let long = String(repeating: "abc", count: 20_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                let text = index == 50 ? long : "\(index)"
                group.addTask {
                    let echoed = try await near.call("echo", params: [text], as: String.self)
                    #expect(echoed == text)
                }
            }
            try await group.waitForAll()
        }
        await near.close(code: 1000)
        #expect(near.callCounts.issued == 100 && near.callCounts.settled == 100)
    }
}

/// One end of a pipe. Messages are bytes up to a line feed, which compact JSON does not contain.
private final class Pipe: MessageTransport {
    private struct State {
        var other: Pipe?
        var outbox: [(ticket: OutboxTicket, line: [UInt8])] = []
        var acceptedBytes: UInt64 = 0
        var arrived: [UInt8] = []
        var isReading = true
        var isClosed = false
    }
    private let state = Mutex(State())
    private let receiver: any MessageReceiver
    /// Both ends deliver on this queue, one call at a time.
    private let queue: DispatchQueue

    private init(_ receiver: any MessageReceiver, _ queue: DispatchQueue) {
        (self.receiver, self.queue) = (receiver, queue)
    }

    static func open(_ near: any MessageReceiver, _ far: any MessageReceiver) {
        let queue = DispatchQueue(label: "pipe")
        let ends = (Pipe(near, queue), Pipe(far, queue))
        ends.0.state.withLock { $0.other = ends.1 }
        ends.1.state.withLock { $0.other = ends.0 }
        queue.sync {
            near.transportOpened(ends.0)
            far.transportOpened(ends.1)
        }
    }

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        let line: [UInt8] = Array(pieces.joined()) + [10]
        return state.withLock { state in
            guard !state.isClosed else { return .refused }
            let ticket = OutboxTicket(position: state.acceptedBytes)
            state.outbox.append((ticket, line))
            state.acceptedBytes += UInt64(line.count)
            return .queued(ticket, mustWake: state.outbox.count == 1)
        }
    }

    func wake() { queue.async { self.write() } }

    func withdraw(_ ticket: OutboxTicket) -> Bool {
        state.withLock { state in
            guard let index = state.outbox.firstIndex(where: { $0.ticket == ticket }) else { return false }
            state.outbox[index] = (ticket: OutboxTicket(position: .max), line: [])
            return true
        }
    }

    var queuedByteCount: Int { state.withLock { $0.outbox.reduce(0) { $0 + $1.line.count } } }

    func setReading(_ isReading: Bool) {
        state.withLock { $0.isReading = isReading }
        if isReading { queue.async { self.read([]) } }
    }

    func close(code: UInt16, reason: String, deadline: Duration) {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        queue.async {
            self.write()
            let other = self.state.withLock { $0.other }
            self.end(.local, code, reason)
            other?.end(.remote, code, reason)
        }
    }

    private func write() {
        let (other, bytes) = state.withLock { state in
            defer { state.outbox = [] }
            return (state.other, state.outbox.flatMap(\.line))
        }
        other?.read(bytes)
        receiver.outboxDrained()
    }

    private func read(_ bytes: [UInt8]) {
        let lines = state.withLock { state -> [ArraySlice<UInt8>] in
            state.arrived += bytes
            guard state.isReading, let end = state.arrived.lastIndex(of: 10) else { return [] }
            defer { state.arrived.removeSubrange(...end) }
            return state.arrived[..<end].split(separator: 10)
        }
        for line in lines { receiver.messageReceived(InboundMessage(content: .owned(Array(line)), isBinary: false)) }
    }

    private func end(_ initiator: TransportClosure.Initiator, _ code: UInt16, _ reason: String) {
        let unsentFrom = state.withLock { state -> OutboxTicket? in
            state.isClosed = true
            guard state.other != nil else { return nil }
            state.other = nil
            let unsent = state.outbox.first { !$0.line.isEmpty }?.ticket
            return unsent ?? OutboxTicket(position: state.acceptedBytes)
        }
        guard let unsentFrom else { return }
        receiver.transportClosed(
            TransportClosure(initiator: initiator, code: code, reason: reason, unsentFrom: unsentFrom))
    }
}
