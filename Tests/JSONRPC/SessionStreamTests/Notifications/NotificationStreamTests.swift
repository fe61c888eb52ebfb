// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60))) struct NotificationStreamTests {
    private struct Lost: Error, Equatable {}

    private let clock: ManualClock
    private let router: NotificationRouter

    init() {
        clock = ManualClock()
        router = NotificationRouter(clock: clock)
    }

    @discardableResult
    private func deliver(_ method: String = "n", _ params: String?...) throws -> Bool {
        var wasTaken = false
        for text in params {
            let raw = try text.map { try RawJSON(validating: $0) }
            wasTaken = router.deliver(InboundNotification(method: method, params: raw))
        }
        return wasTaken
    }

    // MARK: Elements

    @Test func notificationsBeforeTheLoopAreDelivered() async throws {
        let stream = router.stream(of: "n", as: [Int].self)
        #expect(try deliver("n", "[1]", "[2]"))
        router.finish(.finished)
        var elements: [NotificationElement<[Int]>] = []
        for try await element in stream { elements.append(element) }
        #expect(elements == [.value([1]), .value([2])])
    }

    @Test func waitingConsumerIsHandedWhatComes() async throws {
        let stream = router.stream(of: "n", as: [Int].self)
        let log = EventLog<[Int]>()
        let consumer = Task {
            for try await value in stream.values { log.record(value) }
        }
        for number in 1...5 {
            try deliver("n", "[\(number)]")
            await log.wait(count: number)
        }
        router.finish(.finished)
        try await consumer.value
        #expect(log.elements == [[1], [2], [3], [4], [5]])
    }

    @Test func everyStreamOfAMethodGetsEveryNotification() async throws {
        let streams = (0..<3).map { _ in router.stream(of: "n", as: [Int].self) }
        try deliver("n", "[1]", "[2]")
        router.finish(.finished)
        for stream in streams {
            #expect(try await stream.values.reduce(into: []) { $0.append($1) } == [[1], [2]])
        }
    }

    @Test func streamGetsItsOwnMethodOnly() async throws {
        let stream = router.stream(of: "n", as: [Int].self)
        #expect(try !deliver("m", "[1]"))
        #expect(try deliver("n", "[2]"))
        router.finish(.finished)
        #expect(try await stream.values.reduce(into: []) { $0.append($1) } == [[2]])
    }

    @Test func streamOfAllGetsAllAsTheyCame() async throws {
        let stream = router.stream(of: nil, overflow: .standard, decoding: .fail) { $0 }
        #expect(try deliver("a", "[1, 2]"))
        #expect(try deliver("b", nil))
        router.finish(.finished)
        let all = try await stream.values.reduce(into: []) { $0.append($1) }
        #expect(
            all == [
                InboundNotification(method: "a", params: try RawJSON(validating: "[1, 2]")),
                InboundNotification(method: "b", params: nil),
            ])
    }

    @Test func iteratorsOfOneStreamShareIt() async throws {
        let stream = router.stream(of: "n", as: [Int].self)
        var left = stream.makeAsyncIterator()
        var right = stream.makeAsyncIterator()
        try deliver("n", "[1]", "[2]")
        #expect(try await left.next() == .value([1]))
        #expect(try await right.next() == .value([2]))
    }

    @Test func streamThatIsLetGoIsNoReader() throws {
        var stream: NotificationStream<[Int]>? = router.stream(of: "n", as: [Int].self)
        let all = router.stream(of: nil, overflow: .standard, decoding: .fail) { $0 }
        #expect(try deliver("n", "[1]"))
        withExtendedLifetime((stream, all)) {}
        stream = nil
        #expect(try deliver("n", "[1]"))
        _ = consume all
        #expect(try !deliver("n", "[1]"))
    }

    // MARK: Absent params

    @Test func absentParamsAreWhateverTheTypeTakes() throws {
        struct Empty: Decodable, Equatable {}
        let notification = InboundNotification(method: "n", params: nil)
        #expect(try notification.params(as: Int?.self) == nil)
        #expect(try notification.params(as: Empty.self) == Empty())
        #expect(try notification.params(as: [Int].self) == [])
        #expect(try notification.params(as: JSONValue.self) == .null)
        #expect(throws: DecodingError.self) { try notification.params(as: Int.self) }
    }

    // MARK: Decoding failures

    @Test func undecodableParamsEndTheStreamByDefault() async throws {
        var iterator = router.stream(of: "n", as: [Int].self).makeAsyncIterator()
        let other = router.stream(of: "n", as: JSONValue.self)
        try deliver("n", "[1]", #"["x"]"#, "[2]")
        #expect(try await iterator.next() == .value([1]))
        await #expect(throws: DecodingError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        router.finish(.finished)
        #expect(try await other.values.reduce(into: []) { $0.append($1) } == [[1], ["x"], [2]])
    }

    @Test func undecodableParamsCanBeReported() async throws {
        var iterator = router.stream(of: "n", as: [Int].self, decoding: .report).makeAsyncIterator()
        try deliver("n", #"["x"]"#, "[2]")
        guard case .gap(let gap)? = try await iterator.next(),
            case .undecodable(let notification, let description) = gap.reason
        else {
            Issue.record("no gap")
            return
        }
        #expect(gap.count == 1)
        #expect(notification.params?.text == #"["x"]"#)
        #expect(!description.isEmpty)
        #expect(try await iterator.next() == .value([2]))
    }

    // MARK: Ends

    @Test func lossIsThrownOnceAfterWhatCameBefore() async throws {
        var iterator = router.stream(of: "n", as: [Int].self).makeAsyncIterator()
        try deliver("n", "[1]")
        router.finish(.failed(Lost()))
        router.finish(.finished)
        #expect(try !deliver("m", "[2]"))
        try deliver("n", "[2]")
        #expect(try await iterator.next() == .value([1]))
        await #expect(throws: Lost()) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test(arguments: [true, false])
    func waitingConsumerLearnsOfTheEnd(isLost: Bool) async throws {
        let stream = router.stream(of: "n", as: [Int].self)
        let consumer = Task {
            var iterator = stream.makeAsyncIterator()
            return try await iterator.next()
        }
        router.finish(isLost ? .failed(Lost()) : .finished)
        if isLost {
            await #expect(throws: Lost()) { try await consumer.value }
        } else {
            #expect(try await consumer.value == nil)
        }
    }

    @Test func streamMadeAfterTheEndEndsAlike() async throws {
        router.finish(.failed(Lost()))
        var iterator = router.stream(of: "n", as: [Int].self).makeAsyncIterator()
        await #expect(throws: Lost()) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func reconnectionIsAGap() async throws {
        var iterator = router.stream(of: "n", as: [Int].self).makeAsyncIterator()
        try deliver("n", "[1]")
        router.reconnected()
        try deliver("n", "[2]")
        #expect(try await iterator.next() == .value([1]))
        #expect(try await iterator.next() == .gap(NotificationGap(reason: .reconnected, count: nil)))
        #expect(try await iterator.next() == .value([2]))
    }

    // MARK: Cancellation

    @Test func cancelledConsumerThrowsAndLosesNothing() async throws {
        let stream = router.stream(of: "n", as: [Int].self)
        let consumer = Task {
            var iterator = stream.makeAsyncIterator()
            return try await iterator.next()
        }
        consumer.cancel()
        await #expect(throws: CancellationError.self) { try await consumer.value }
        try deliver("n", "[1]")
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == .value([1]))
    }

    @Test func cancelledTaskTakesNothing() async throws {
        let stream = router.stream(of: "n", as: [Int].self)
        try deliver("n", "[1]")
        let consumer = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = stream.makeAsyncIterator()
            return try await iterator.next()
        }
        await #expect(throws: CancellationError.self) { try await consumer.value }
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == .value([1]))
    }

    // MARK: Overflow

    @Test func overflowIsAGapWithItsCount() async throws {
        var iterator = router.stream(of: "n", as: [Int].self, overflow: .dropOldest(capacity: 1))
            .makeAsyncIterator()
        try deliver("n", "[1]", "[2]", "[3]")
        #expect(try await iterator.next() == .gap(NotificationGap(reason: .overflow, count: 2)))
        #expect(try await iterator.next() == .value([3]))
    }

    @Test func overflowCanEndTheStream() async throws {
        var iterator = router.stream(of: "n", as: [Int].self, overflow: .fail(capacity: 1)).makeAsyncIterator()
        try deliver("n", "[1]", "[2]")
        #expect(try await iterator.next() == .value([1]))
        await #expect(throws: NotificationError.overflow(capacity: 1)) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func suspensionStopsReadingUntilTheConsumerCatchesUp() async throws {
        let transport = InMemoryTransport.pair().0
        router.attach(transport)
        var iterator = router.stream(of: "n", as: [Int].self, overflow: .suspend(capacity: 2, limit: .seconds(5)))
            .makeAsyncIterator()
        try deliver("n", "[1]", "[2]")
        #expect(transport.isReading)
        try deliver("n", "[3]")
        #expect(!transport.isReading)
        await clock.waitForSleepers(1)
        _ = try await iterator.next()
        #expect(!transport.isReading)
        _ = try await iterator.next()
        #expect(transport.isReading)
        #expect(try await iterator.next() == .value([3]))
    }

    @Test func suspensionEndsInTime() async throws {
        let told = EventLog<Bool>()
        router.attach(ReadingProbe(log: told))
        let stream = router.stream(of: "n", as: [Int].self, overflow: .suspend(capacity: 2, limit: .seconds(5)))
        try deliver("n", "[1]", "[2]", "[3]")
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(await told.wait(count: 2) == [false, true])
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == .gap(NotificationGap(reason: .overflow, count: 1)))
        #expect(try await iterator.next() == .value([2]))
    }

    @Test(arguments: [true, false])
    func suspendedStreamThatEndsLetsReadingGoOn(byFinish: Bool) async throws {
        let transport = InMemoryTransport.pair().0
        router.attach(transport)
        var stream: NotificationStream<[Int]>? = router.stream(
            of: "n", as: [Int].self, overflow: .suspend(capacity: 1, limit: .seconds(5)))
        try deliver("n", "[1]", "[2]")
        #expect(!transport.isReading)
        if byFinish { router.finish(.finished) } else { stream = nil }
        #expect(transport.isReading)
        withExtendedLifetime(stream) {}
    }

    // MARK: Concurrency

    /// Many consumers of one stream, some of them cancelled, against a quick sender: every notification is taken once.
    @Test func everyNotificationIsTakenOnce() async throws {
        let total = 2000
        let stream = router.stream(of: "n", as: [Int].self, overflow: .dropOldest(capacity: total))
        let log = EventLog<Int>()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                let consumer = Task {
                    for try await value in stream.values { log.record(value.first ?? -1) }
                }
                if index % 4 == 3 { group.addTask { consumer.cancel() } }
                group.addTask { _ = await consumer.result }
            }
            for number in 0..<total {
                router.deliver(
                    InboundNotification(method: "n", params: RawJSON(unchecked: Array("[\(number)]".utf8))))
            }
            router.finish(.finished)
        }
        #expect(log.elements.sorted() == Array(0..<total))
    }
}

/// Records the requests to start and stop reading.
private final class ReadingProbe: MessageTransport {
    private let log: EventLog<Bool>

    init(log: EventLog<Bool>) { self.log = log }

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome { .refused }
    func wake() {}
    func withdraw(_ ticket: OutboxTicket) -> Bool { false }
    var queuedByteCount: Int { 0 }
    func setReading(_ isReading: Bool) { log.record(isReading) }
    func close(code: UInt16, reason: String, deadline: Duration) {}
}
