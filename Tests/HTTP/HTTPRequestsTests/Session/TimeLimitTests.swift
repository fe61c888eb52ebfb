// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct TimeLimitTests {
    private let clock = ManualHTTPClock()

    private func session(_ transport: MockHTTPTransport, interceptors: [any HTTPInterceptor] = []) -> HTTPSession {
        var configuration = HTTPSessionConfiguration()
        configuration.clock = clock
        return HTTPSession(transport: transport, interceptors: interceptors, configuration: configuration)
    }

    private func limits(_ change: (inout HTTPTimeouts) -> Void) -> HTTPTimeouts {
        var timeouts = HTTPTimeouts()
        change(&timeouts)
        return timeouts
    }

    private func error<Request: HTTPAPIRequest>(
        _ session: HTTPSession, _ request: Request
    ) async -> HTTPRequestError<Request.Failure>? {
        do throws(HTTPRequestError<Request.Failure>) {
            _ = try await session.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func theHeadMustArriveInTime() async throws {
        let transport = MockHTTPTransport(reply: .none)
        let session = session(transport)
        async let outcome = error(session, Get<Int>(timeouts: limits { $0.firstByte = .seconds(5) }))
        try await transport.waitForRequests(1)
        clock.advance(by: .seconds(5))
        let error = try #require(await outcome)
        #expect(error.transportError?.code == .timedOut)
        #expect("\(error)".contains("did not arrive within the limit of 5 s"), "\(error)")
    }

    @Test func aHeadWithinTheLimitIsInTime() async throws {
        let gate = HTTPGate()
        let transport = MockHTTPTransport(reply: .held(by: gate, then: .json("1")))
        let session = session(transport)
        async let outcome = session.send(Get<Int>(timeouts: limits { $0.firstByte = .seconds(5) }))
        try await transport.waitForRequests(1)
        clock.advance(by: .milliseconds(4999))
        gate.open()
        #expect(try await outcome == 1)
    }

    @Test func theBytesOfTheRequestRestartTheFirstLimit() async throws {
        let (sent, gate) = (HTTPGate(), HTTPGate())
        let clock = clock
        let transport = MockHTTPTransport(
            reply: MockHTTPReply { request in
                clock.advance(by: .seconds(4))
                request.context.uploadProgress?(HTTPProgress(completedBytes: 1, totalBytes: 2))
                clock.advance(by: .seconds(4))
                sent.open()
                try await gate.pass()
                return ReceivedHTTPResponse(HTTPResponse(status: .ok), body: HTTPByteStream([0x31]))
            })
        let session = session(transport)
        var request = Get<Int>(timeouts: limits { $0.firstByte = .seconds(5) })
        request.body = DataHTTPBody([1, 2])
        let sentRequest = request
        async let outcome = session.send(sentRequest)
        try await sent.pass()
        gate.open()
        #expect(try await outcome == 1)
    }

    @Test func eachPieceMustArriveInTime() async throws {
        let feed = HTTPPieceFeed()
        let transport = MockHTTPTransport(reply: .stream(feed))
        let session = session(transport)
        let stream = try await session.send(Download(timeouts: limits { $0.idle = .seconds(5) }))
        var pieces = stream.makeAsyncIterator()
        for byte in UInt8(1)...3 {
            feed.send([byte])
            #expect(try await pieces.next() == [byte])
            clock.advance(by: .seconds(4))
        }
        let rest = pieces
        let reader = Task {
            var pieces = rest
            return try await pieces.next()
        }
        try await feed.waitForReads(4)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: HTTPTransportError.self) { try await reader.value }
        #expect(error?.code == .timedOut)
    }

    @Test func aStalledBodyKeepsHeadAndBeginning() async throws {
        let feed = HTTPPieceFeed()
        let transport = MockHTTPTransport(reply: .stream(feed, fields: [.server: "x"]))
        let session = session(transport)
        feed.send([1])
        async let outcome = error(session, Get<[UInt8]>(timeouts: limits { $0.idle = .seconds(5) }))
        try await feed.waitForReads(2)
        clock.advance(by: .seconds(5))
        guard case .connection(let failure)? = await outcome else { throw Planned() }
        #expect((failure.underlying as? HTTPTransportError)?.code == .timedOut)
        #expect(failure.head?.headerFields[.server] == "x")
        #expect(failure.bodyBeginning == [1])
    }

    @Test func theTotalLimitHoldsForAllStages() async throws {
        let total = limits { $0.total = .seconds(7) }
        // Before the head.
        let silent = MockHTTPTransport(reply: .none)
        async let first = error(session(silent), Get<Int>(timeouts: total))
        try await silent.waitForRequests(1)
        clock.advance(by: .seconds(7))
        #expect(await first?.transportError?.code == .timedOut)
        // In the body.
        let feed = HTTPPieceFeed()
        let slow = MockHTTPTransport(reply: .stream(feed))
        async let second = error(session(slow), Get<Int>(timeouts: total))
        try await slow.waitForRequests(1)
        clock.advance(by: .seconds(7))
        #expect(await second?.transportError?.code == .timedOut)
        // In an interceptor.
        let entered = HTTPGate()
        let stuck = ClosureInterceptor { _, _, _, _ in
            entered.open()
            try await HTTPGate().pass()
            throw Planned()
        }
        async let third = error(session(slow, interceptors: [stuck]), Get<Int>(timeouts: total))
        try await entered.pass()
        clock.advance(by: .seconds(7))
        #expect(await third?.transportError?.code == .timedOut)
    }

    @Test func aLimitOfZeroEndsTheRequest() async throws {
        let session = session(MockHTTPTransport(reply: .none))
        for timeouts in [limits { $0.total = .zero }, limits { $0.firstByte = .zero }] {
            let error = try #require(await error(session, Get<Int>(timeouts: timeouts)))
            #expect(error.transportError?.code == .timedOut)
        }
    }

    @Test func limitsOfBodiesThatAreReadTogetherAreSeparate() async throws {
        let (first, second) = (HTTPPieceFeed(), HTTPPieceFeed())
        let transport = MockHTTPTransport()
        transport.expect(reply: .stream(first))
        transport.expect(reply: .stream(second))
        let both = ClosureInterceptor { request, body, context, next in
            var response = try await next(request, body: body, context: context)
            let two = try await next(request, body: body, context: context).body
            async let bytes = two.collect(upTo: 10)
            let rest = try await response.body.collect(upTo: 10)
            response.body = HTTPByteStream(rest + (try await bytes))
            return response
        }
        let session = session(transport, interceptors: [both])
        async let outcome = error(session, Get<[UInt8]>(timeouts: limits { $0.idle = .seconds(5) }))
        try await first.waitForReads(1)
        try await second.waitForReads(1)
        clock.advance(by: .seconds(4))
        first.send([1])
        try await first.waitForReads(2)
        clock.advance(by: .seconds(1))
        #expect(try #require(await outcome).transportError?.code == .timedOut)
    }

    @Test(arguments: [(total: 20, firstByte: 5, text: "limit of 5 s"), (total: 5, firstByte: 20, text: "total limit")])
    func theShorterOfTwoLimitsEndsTheRequest(_ total: Int, _ firstByte: Int, _ text: String) async throws {
        let transport = MockHTTPTransport(reply: .none)
        let timeouts = limits {
            $0.total = .seconds(total)
            $0.firstByte = .seconds(firstByte)
        }
        async let outcome = error(session(transport), Get<Int>(timeouts: timeouts))
        try await transport.waitForRequests(1)
        clock.advance(by: .seconds(5))
        let error = try #require(await outcome)
        #expect("\(error)".contains(text), "\(error)")
    }

    @Test func theLimitsHoldBehindAnInterceptorThatReplacesTheBody() async throws {
        let feed = HTTPPieceFeed()
        let session = session(
            MockHTTPTransport(reply: .stream(feed)), interceptors: [ConcurrencyLimitInterceptor(limit: 1)])
        feed.send([1])
        async let outcome = error(session, Get<[UInt8]>(timeouts: limits { $0.idle = .seconds(5) }))
        try await feed.waitForReads(2)
        clock.advance(by: .seconds(5))
        guard case .connection(let failure)? = await outcome else { throw Planned() }
        #expect((failure.underlying as? HTTPTransportError)?.code == .timedOut)
        #expect(failure.bodyBeginning == [1])
    }

    @Test func theTotalLimitHoldsForAStreamThatIsReadLater() async throws {
        let feed = HTTPPieceFeed()
        let session = session(MockHTTPTransport(reply: .stream(feed)))
        let stream = try await session.send(Download(timeouts: limits { $0.total = .seconds(7) }))
        clock.advance(by: .seconds(7))
        let error = await #expect(throws: HTTPTransportError.self) { try await stream.collect(upTo: 10) }
        #expect(error?.code == .timedOut)
    }

    @Test func withoutLimitsNothingTimesOut() async throws {
        let gate = HTTPGate()
        let transport = MockHTTPTransport(reply: .held(by: gate, then: .json("1")))
        let session = session(transport)
        async let outcome = session.send(
            Get<Int>(
                timeouts: limits {
                    $0.firstByte = nil
                    $0.idle = .seconds(Int64.max)
                }))
        try await transport.waitForRequests(1)
        clock.advance(by: .seconds(1_000_000))
        gate.open()
        #expect(try await outcome == 1)
    }

    @Test func manyDeadlinesAreKeptByOneTask() async throws {
        let transport = MockHTTPTransport(reply: .none)
        let session = session(transport)
        let codes = try await withThrowingTaskGroup(of: (Int, HTTPTransportError.Code?).self) { group in
            for seconds in 1...20 {
                group.addTask {
                    var timeouts = HTTPTimeouts()
                    timeouts.firstByte = .seconds(seconds)
                    return (seconds, await error(session, Get<Int>(timeouts: timeouts))?.transportError?.code)
                }
            }
            try await transport.waitForRequests(20)
            clock.advance(by: .seconds(10))
            var ended: Set<Int> = []
            for _ in 0..<10 { if let (seconds, _) = try await group.next() { ended.insert(seconds) } }
            #expect(ended == Set(1...10))
            clock.advance(by: .seconds(10))
            var codes: [HTTPTransportError.Code?] = []
            for try await (_, code) in group { codes.append(code) }
            return codes
        }
        #expect(codes == Array(repeating: .timedOut, count: 10))
    }

    @Test func progressIsReportedBothWays() async throws {
        let (uploads, downloads) = (Log<HTTPProgress>(), Log<HTTPProgress>())
        let transport = MockHTTPTransport(reply: .pieces([[1, 2], [3]], length: 3))
        var request = Get<[UInt8]>()
        request.body = DataHTTPBody([9, 9])
        _ = try await session(transport).send(
            request, uploadProgress: { uploads.add($0) }, downloadProgress: { downloads.add($0) })
        #expect(uploads.values == [HTTPProgress(completedBytes: 2, totalBytes: 2)])
        #expect(downloads.values.map(\.completedBytes) == [2, 3])
        #expect(downloads.values.map(\.totalBytes) == [3, 3])
    }
}
