// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import Synchronization
import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct InMemoryTransportTests {
    private let near: InMemoryTransport
    private let far: InMemoryTransport
    private let nearSide = RecordingSide()
    private let farSide = RecordingSide()

    init() async { (near, far) = await Self.open(InMemoryTransport.Configuration(), nearSide, farSide) }

    private static func open(
        _ configuration: InMemoryTransport.Configuration, _ nearSide: RecordingSide, _ farSide: RecordingSide
    ) async -> (InMemoryTransport, InMemoryTransport) {
        let (near, far) = InMemoryTransport.pair(configuration: configuration)
        await near.open(receiver: nearSide)
        await far.open(receiver: farSide)
        return (near, far)
    }

    // MARK: Messages

    @Test func messagesArriveWholeAndInOrder() async {
        for number in 0..<100 { near.post("m\(number)") }
        let events = await farSide.log.wait(count: 101)
        #expect(events == ["opened"] + (0..<100).map { "m\($0)" })
    }

    @Test func piecesArriveAsOneMessage() async {
        guard case .queued(_, true) = near.enqueue("a", "", "bc") else {
            Issue.record("the first message of an idle transport does not ask to be woken for")
            return
        }
        near.wake()
        #expect(await farSide.log.wait(count: 2).last == "abc")
    }

    @Test func bothWaysWorkAtOnce() async {
        for _ in 0..<50 {
            near.post("x")
            far.post("y")
        }
        #expect(await farSide.log.wait(count: 51).dropFirst().allSatisfy { $0 == "x" })
        #expect(await nearSide.log.wait(count: 51).dropFirst().allSatisfy { $0 == "y" })
    }

    @Test func nothingMovesBeforeTheWake() async {
        guard case .queued(let ticket, let mustWake) = near.enqueue("a") else {
            Issue.record("refused")
            return
        }
        #expect(mustWake)
        guard case .queued(_, false) = near.enqueue("b") else {
            Issue.record("a second message asks for a second wake")
            return
        }
        #expect(near.withdraw(ticket))
        near.wake()
        #expect(await farSide.log.wait(count: 2) == ["opened", "b"])
    }

    @Test func binaryAndFragmentedMessagesArriveAsSuch() async {
        near.send([0x61], isBinary: true)
        near.send("b", inFragments: true)
        near.send("")
        #expect(await farSide.log.wait(count: 4) == ["opened", "binary a", "assembled b", ""])
    }

    @Test func receiverMayAnswerFromWithinItsCall() async {
        let (left, right) = InMemoryTransport.pair()
        await left.open(receiver: EchoReceiver())
        let side = RecordingSide()
        await right.open(receiver: side)
        right.post("ping")
        #expect(await side.log.wait(count: 2).last == "ping")
    }

    @Test func roundTripIsTold() async {
        near.measureRoundTrip(.milliseconds(5))
        #expect(await nearSide.log.wait(count: 2).last == "round trip \(Duration.milliseconds(5))")
    }

    // MARK: Outbox

    @Test func heldMessagesCountAsQueuedAndCanBeWithdrawn() async {
        near.holdOutbox()
        let tickets = ["a", "bb", "ccc"].compactMap { near.post($0) }
        #expect(tickets.map(\.position) == [0, 9, 19])
        #expect(near.queuedByteCount == 30)
        #expect(near.withdraw(tickets[1]))
        #expect(!near.withdraw(tickets[1]))
        #expect(near.queuedByteCount == 20)
        near.releaseOutbox()
        #expect(await farSide.log.wait(count: 3) == ["opened", "a", "ccc"])
        #expect(near.queuedByteCount == 0)
        #expect(tickets.allSatisfy { !near.withdraw($0) })
    }

    @Test func unknownTicketIsNotWithdrawn() {
        near.holdOutbox()
        near.post("abc")
        #expect(!near.withdraw(OutboxTicket(position: 1)))
        #expect(!near.withdraw(OutboxTicket(position: 1000)))
    }

    @Test func someMessagesCanBeLetGo() async {
        near.holdOutbox()
        let tickets = (0..<5).compactMap { near.post("\($0)") }
        near.releaseOutbox(messages: 2)
        await farSide.log.wait(count: 3)
        #expect(!near.withdraw(tickets[1]))
        #expect(near.withdraw(tickets[2]))
        near.releaseOutbox()
        #expect(await farSide.log.wait(count: 5) == ["opened", "0", "1", "3", "4"])
    }

    @Test func drainIsToldOnceAfterTheMarkWasExceeded() async {
        var configuration = InMemoryTransport.Configuration()
        configuration.lowWaterMarkBytes = 20
        let (side, other) = (RecordingSide(), RecordingSide())
        let (left, right) = await Self.open(configuration, side, other)
        left.post("small")
        await other.log.wait(count: 2)
        left.holdOutbox()
        for _ in 0..<3 { left.post("0123456789") }
        left.releaseOutbox()
        await other.log.wait(count: 5)
        // Messages that are sent after the drain arrive after its report.
        right.post("end")
        _ = await (side.log.first { $0 == "end" }, side.log.first { $0 == "drained" })
        #expect(side.log.elements.filter { $0 == "drained" }.count == 1)
    }

    @Test func withdrawalCanDrainToo() async {
        var configuration = InMemoryTransport.Configuration()
        configuration.lowWaterMarkBytes = 0
        let (side, other) = (RecordingSide(), RecordingSide())
        let (left, _) = await Self.open(configuration, side, other)
        left.holdOutbox()
        let ticket = left.post("x")
        #expect(ticket.map { left.withdraw($0) } == true)
        _ = await side.log.first { $0 == "drained" }
    }

    // MARK: Slow peers

    @Test func readingCanBeStoppedAndStartedAgain() async {
        far.setReading(false)
        #expect(!far.isReading)
        near.post("a")
        // The other direction is not affected, and shows that the first message has had its time.
        far.post("b")
        await nearSide.log.wait(count: 2)
        #expect(farSide.log.elements == ["opened"])
        far.setReading(true)
        #expect(await farSide.log.wait(count: 2).last == "a")
    }

    @Test func fullWindowKeepsMessagesInTheOutbox() async {
        var configuration = InMemoryTransport.Configuration()
        configuration.windowBytes = 20
        let (side, other) = (RecordingSide(), RecordingSide())
        let (left, right) = await Self.open(configuration, side, other)
        right.holdInbox()
        let tickets = (0..<10).compactMap { left.post("\($0)") }
        // Three messages of nine bytes fill the window. The fourth can always be withdrawn.
        #expect(tickets.count == 10 && left.withdraw(tickets[9]))
        #expect(left.queuedByteCount >= 6 * 9)
        right.releaseInbox()
        #expect(await other.log.wait(count: 10) == ["opened"] + (0..<9).map { "\($0)" })
    }

    // MARK: End

    @Test func aMessageQueuedBeforeThePeersCloseGoesOut() async {
        // The transport is not woken for this message, so it is still queued when the close arrives.
        guard case .queued = far.enqueue("late") else {
            Issue.record("refused")
            return
        }
        near.close(code: 1000, reason: "", deadline: .seconds(60))
        #expect(await farSide.closedText()?.hasPrefix("closed remote 1000") == true)
        _ = await nearSide.closedText()
        #expect(nearSide.log.elements.contains("late"))
    }

    @Test func closingSendsTheOutboxFirst() async {
        near.holdOutbox()
        near.post("a")
        near.close(code: 1001, reason: "bye", deadline: .seconds(60))
        #expect(near.post("late") == nil)
        near.releaseOutbox()
        #expect(await farSide.closedText() == "closed remote 1001 bye from 0")
        #expect(await nearSide.closedText() == "closed local 1001 bye from 9")
        #expect(farSide.log.elements == ["opened", "a", "closed remote 1001 bye from 0"])
        #expect(near.isClosed && far.isClosed)
        #expect(far.post("late") == nil)
    }

    @Test func deadlineEndsAClosingThatIsNotAnswered() async {
        far.holdInbox()
        near.close(code: 1000, reason: "", deadline: .milliseconds(1))
        #expect(await nearSide.closedText() == "closed local 1006  from 0")
        far.releaseInbox()
        // The closing frame was already sent, so the other end still receives it.
        #expect(await farSide.closedText() == "closed remote 1000  from 0")
    }

    @Test func laterCloseCanShortenTheDeadline() async {
        far.holdInbox()
        near.close(code: 1000, reason: "", deadline: .seconds(3600))
        near.close(code: 1001, reason: "", deadline: .zero)
        #expect(await nearSide.closedText() == "closed local 1006  from 0")
    }

    @Test func bothEndsMayCloseAtOnce() async {
        near.close(code: 1000, reason: "near", deadline: .seconds(60))
        far.close(code: 1001, reason: "far", deadline: .seconds(60))
        let ends = await [nearSide.closedText(), farSide.closedText()]
        #expect(ends.allSatisfy { $0?.contains(" from 0") == true })
        #expect(ends.contains { $0?.hasPrefix("closed local") == true })
    }

    @Test func droppedConnectionTellsWhatWasNotSent() async {
        near.post("a")
        await farSide.log.wait(count: 2)
        near.holdOutbox()
        let held = near.post("b")
        near.post("c")
        near.dropConnection(error: Cut())
        #expect(await nearSide.closedText() == "closed failure 1006  from \(held?.position ?? 0) Cut()")
        #expect(await farSide.closedText() == "closed failure 1006  from 0 Cut()")
        #expect(nearSide.log.elements.count == 2)
    }

    @Test func dropCanLoseWhatHasNotBeenDelivered() async {
        far.holdInbox()
        near.post("lost")
        // A message that has left the outbox is handed over. A message from the other end shows that the queue has run.
        far.post("x")
        await nearSide.log.wait(count: 2)
        near.dropConnection(discardingUndelivered: true)
        #expect(await farSide.closedText() == "closed failure 1006  from 9")
        #expect(!farSide.log.elements.contains("lost"))
    }

    @Test func dropDeliversWhatHasArrivedOtherwise() async {
        for number in 0..<10 { far.post("\(number)") }
        await nearSide.log.wait(count: 11)
        near.holdInbox()
        far.post("last")
        far.dropConnection()
        #expect(await farSide.closedText() == "closed failure 1006  from 102")
        near.releaseInbox()
        #expect(await nearSide.closedText() == "closed failure 1006  from 0")
        #expect(nearSide.log.elements.suffix(2).first == "last")
    }

    @Test func endIsToldOnce() async {
        near.dropConnection()
        far.dropConnection()
        near.close(code: 1000, reason: "", deadline: .zero)
        _ = await (nearSide.closedText(), farSide.closedText())
        near.dropConnection()
        near.measureRoundTrip(.zero)
        #expect(nearSide.log.elements.filter { $0.hasPrefix("closed") }.count == 1)
        #expect(farSide.log.elements.filter { $0.hasPrefix("closed") }.count == 1)
    }

    @Test func closedPairIsReleased() async {
        weak var left: InMemoryTransport?
        weak var right: InMemoryTransport?
        do {
            let (side, other) = (RecordingSide(), RecordingSide())
            let pair = await Self.open(InMemoryTransport.Configuration(), side, other)
            (left, right) = pair
            pair.0.close(code: 1000, reason: "", deadline: .seconds(60))
            _ = await (side.closedText(), other.closedText())
            // A queue releases its last block after the receiver was called.
            await pair.0.queueIsIdle()
            await pair.1.queueIsIdle()
        }
        #expect(left == nil)
        #expect(right == nil)
    }

    // MARK: Properties

    /// Messages are sent, held, released and withdrawn in any order. Exactly those that were not withdrawn arrive.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func exactlyTheMessagesNotWithdrawnArrive(seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        var sent: [(text: String, ticket: OutboxTicket)] = []
        var withdrawn: Set<String> = []
        for number in 0..<300 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: near.holdOutbox()
            case 1: near.releaseOutbox()
            case 2: near.releaseOutbox(messages: Int.random(in: 0..<4, using: &random))
            case 3:
                if let victim = sent.randomElement(using: &random), near.withdraw(victim.ticket) {
                    #expect(withdrawn.insert(victim.text).inserted)
                }
            default:
                let text = "\(number)"
                if let ticket = near.post(text) { sent.append((text, ticket)) }
            }
        }
        near.releaseOutbox()
        near.close(code: 1000, reason: "", deadline: .seconds(60))
        _ = await farSide.closedText()
        let expected = sent.map(\.text).filter { !withdrawn.contains($0) }.map { "\($0)" }
        #expect(farSide.log.elements.dropFirst().dropLast() == expected[...])
        #expect(sent.map(\.ticket) == sent.map(\.ticket).sorted())
    }
}

private struct Cut: Error {}

/// Echoes each message.
private final class EchoReceiver: MessageReceiver {
    private let transport = Mutex<(any MessageTransport)?>(nil)

    func transportOpened(_ transport: any MessageTransport) { self.transport.withLock { $0 = transport } }

    func messageReceived(_ message: InboundMessage) {
        guard case .borrowed(let bytes) = message.content else { return }
        transport.withLock { $0 }?.post(String(decoding: bytes, as: UTF8.self))
    }

    func outboxDrained() {}
    func roundTripMeasured(_ duration: Duration) {}
    func transportClosed(_ closure: TransportClosure) { transport.withLock { $0 = nil } }
}
