// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

/// Answers with fixed bytes, and records its input.
private final class FixedTransport: DataTransport {
    private let answers: [String]
    private let log = Mutex<[String]>([])

    init(_ answers: String...) { self.answers = answers }

    var sent: [String] { log.withLock { $0 } }

    func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
        let index = log.withLock { log in
            log.append(String(decoding: message, as: UTF8.self))
            return log.count - 1
        }
        return answers.indices.contains(index) ? Array(answers[index].utf8) : []
    }
}

private struct Unplugged: Error {}

private struct BrokenTransport: DataTransport {
    func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] { throw Unplugged() }
}

/// Never answers, and ends when its task is cancelled.
private final class SilentTransport: ObjectTransport {
    let (asked, question) = AsyncStream.makeStream(of: Void.self)

    func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        question.yield()
        for await _ in AsyncStream<Void>.makeStream().stream {}
        throw Unplugged()
    }
}

private struct FixedObjectTransport: ObjectTransport {
    var responses: [ResponseObject]

    func exchange(_ message: RequestMessage) async throws -> [ResponseObject] { responses }
}

@Suite(.inTurn(within: .seconds(60)))
struct TransportCallerTests {
    private let subtract = Subtract(minuend: 42, subtrahend: 23)

    private func result(_ answer: String, _ configuration: SessionConfiguration = .init()) async -> Result<
        Int, CallError
    > {
        await TransportCaller(over: FixedTransport(answer), configuration: configuration).result(of: subtract)
    }

    @Test func messagesAreWrittenAsASessionWritesThem() async throws {
        var members = ExtraMembers()
        try members.set("auth", to: RawJSON("x"))
        let transport = FixedTransport(#"{"jsonrpc":"2.0","id":"a-1","result":19}"#)
        let caller = TransportCaller(
            over: transport,
            configuration: .with { [members] in
                $0.calls.idGenerator = .strings(prefix: "a-")
                $0.calls.extraMembers = members
            })
        #expect(try await caller.call(subtract) == 19)
        try await caller.call(Log("x"))
        #expect(
            transport.sent == [
                #"{"jsonrpc":"2.0","id":"a-1","method":"subtract","params":[42,23],"auth":"x"}"#,
                #"{"jsonrpc":"2.0","method":"log","params":["x"],"auth":"x"}"#,
            ])
    }

    @Test("JP: error:null and result:null are read, not a crash")
    func nullMembers() async throws {
        #expect(await result(#"{"jsonrpc":"2.0","id":1,"result":19,"error":null}"#) == .success(19))
        let null = await result(#"{"jsonrpc":"2.0","id":1,"result":null}"#)
        #expect(null.callError?.clientError?.code == .decodingFailed)
        let neither = await result(#"{"jsonrpc":"2.0","id":1}"#)
        #expect(neither.callError?.clientError?.irregularity == .neitherResultNorError)
    }

    @Test("JP: an array as the reply to a single call is read, not a crash")
    func arrayReply() async throws {
        #expect(await result(#"[{"jsonrpc":"2.0","id":1,"result":19}]"#) == .success(19))
        #expect(await result("[]").callError?.clientError?.irregularity == .emptyBatch)
    }

    @Test("JP: a reply with another id is not taken")
    func idMismatch() async throws {
        let failure = await result(#"{"jsonrpc":"2.0","id":2,"result":19}"#).callError?.clientError
        #expect(failure?.code == .missingResponse)
        #expect(failure?.requestID == 1)
        #expect(failure?.method == "subtract")
    }

    @Test("JP: two calls get one id: calls made at once have ids of their own")
    func idsOfCallsMadeAtOnce() async throws {
        let transport = FixedTransport()
        let caller = TransportCaller(over: transport)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<50 { _ = try? await caller.call("m") }
                }
            }
        }
        let ids = try transport.sent.map { try JSONValue(parsing: $0)["id"]?.intValue }
        #expect(ids.count == 1000)
        #expect(Set(ids) == Set(1...1000))
    }

    @Test("JP: an id of null and no id at all")
    func idNullOrAbsent() async throws {
        let error = #""error":{"code":-32700,"message":"Parse error"}"#
        for answer in [#"{"jsonrpc":"2.0","id":null,\#(error)}"#, #"{"jsonrpc":"2.0",\#(error)}"#] {
            #expect(await result(answer) == .failure(.answered(ErrorObject(.parseError))))
        }
        #expect(await result(#"{"jsonrpc":"2.0","result":19}"#).callError?.clientError?.code == .missingResponse)
    }

    @Test("JP released proxy: a caller that nobody holds any more still ends its call")
    func releasedCaller() async throws {
        final class Slow: ObjectTransport {
            let (asked, question) = AsyncStream.makeStream(of: Void.self)
            let (release, answer) = AsyncStream.makeStream(of: Void.self)

            func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
                question.yield()
                for await _ in release { break }
                return message.requests.map { ResponseObject(id: $0.id, outcome: .success(RawJSON(19))) }
            }
        }
        let (transport, subtract) = (Slow(), subtract)
        let task: Task<Int, any Error>
        do {
            let caller = TransportCaller(over: transport)
            task = Task { [weak caller] in try await #require(caller).call(subtract) }
            for await _ in transport.asked { break }
            withExtendedLifetime(caller) {}
        }
        transport.answer.yield()
        #expect(try await task.value == 19)
    }

    @Test func answerThatIsNoJSONFailsTheCall() async throws {
        let failure = await result("<html>502 Bad Gateway</html>").callError?.clientError
        #expect(failure?.code == .protocolViolation)
        #expect(failure?.irregularity == .malformedJSON)
        #expect(failure?.cause is JSONSyntaxError)
        #expect(failure?.received == Array("<html>502 Bad Gateway</html>".utf8))
        #expect(await result("").callError?.clientError?.code == .missingResponse)
    }

    @Test func strictnessCounts() async throws {
        let answer = #"{"id":1,"result":19}"#
        #expect(await result(answer) == .success(19))
        let failure = await result(answer, .with { $0.strictness = .strict })
        #expect(failure.callError?.clientError?.irregularity == .missingVersion)
        #expect(
            await result(
                answer,
                .with {
                    $0.version = .omitted; $0.strictness = .strict
                }) == .success(19))
    }

    @Test func transportsErrorIsTheCausePerCall() async throws {
        let caller = TransportCaller(over: BrokenTransport())
        let failure = await caller.result(of: subtract).callError?.clientError
        #expect(failure?.code == .transportFailed)
        #expect(failure?.cause is Unplugged)
        #expect(failure?.delivery == .outcomeUnknown)
        let (first, second) = try await caller.results(subtract, Log("x"))
        #expect(first.callError?.clientError?.cause is Unplugged)
        #expect(second.callError?.clientError?.cause is Unplugged)
        await #expect(throws: ClientError.self) { try await caller.notify("n") }
        await #expect(throws: ClientError.self) { try await caller.batch([.notification("n")]) }
    }

    @Test func timeoutEndsTheCallAndTheExchange() async throws {
        let clock = ManualClock()
        let transport = SilentTransport()
        let caller = TransportCaller(over: transport, configuration: .with { $0.clock = clock })
        async let late = caller.result(of: subtract, timeout: .seconds(5))
        for await _ in transport.asked { break }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let failure = await late.callError?.clientError
        #expect(failure?.code == .timedOut)
        #expect(failure?.method == "subtract")
        #expect(failure?.delivery == .outcomeUnknown)
    }

    @Test func cancelledCallEndsWithCancellationError() async throws {
        let transport = SilentTransport()
        let caller = TransportCaller(over: transport)
        let subtract = subtract
        for timeout in [CallTimeout.default, .none] {
            let task = Task { try await caller.call(subtract, timeout: timeout) }
            for await _ in transport.asked { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        let batch = Task { try await caller.batch([subtract, subtract]) }
        for await _ in transport.asked { break }
        batch.cancel()
        #expect(try await batch.value == [.failure(.cancelled), .failure(.cancelled)])
    }

    @Test func batchBeyondTheLimitsGoesOutInSeveralArrays() async throws {
        let transport = FixedTransport(
            #"[{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":1,"result":1}]"#, "garbage",
            #"[{"jsonrpc":"2.0","id":5,"result":5}]"#)
        let caller = TransportCaller(
            over: transport,
            configuration: .with { $0.calls.batchLimits = SessionConfiguration.BatchLimits(maximumMembers: 2) })
        let outcomes = try await caller.batch([subtract, subtract, subtract, subtract, subtract])
        #expect(transport.sent.count == 3)
        #expect([outcomes[0], outcomes[1], outcomes[4]] == [.success(1), .success(2), .success(5)])
        #expect(outcomes[2].callError?.clientError?.irregularity == .malformedJSON)
        #expect(outcomes[3].callError?.clientError?.requestID == 4)
    }

    @Test func interceptorsSeeCallsAndNotifications() async throws {
        struct Renaming: CallInterceptor {
            func intercept(
                call: OutboundCall, next: NextInterceptor<RawJSON>
            ) async throws -> RawJSON {
                var call = call
                call.method = "renamed"
                return try await next(call)
            }

            func intercept(
                notification: OutboundCall, next: NextInterceptor<Void>
            ) async throws {
                var notification = notification
                notification.method = "renamed too"
                try await next(notification)
            }
        }
        let transport = FixedTransport(#"{"jsonrpc":"2.0","id":1,"result":1}"#)
        let caller = TransportCaller(over: transport, configuration: .with { $0.calls.interceptors = [Renaming()] })
        #expect(try await caller.call(MethodCall("m", as: Int.self)) == 1)
        try await caller.notify("n")
        #expect(
            transport.sent == [
                #"{"jsonrpc":"2.0","id":1,"method":"renamed"}"#, #"{"jsonrpc":"2.0","method":"renamed too"}"#,
            ])
    }

    @Test func objectTransportsResponsesAreMatchedByID() async throws {
        let responses = [
            ResponseObject(id: 9, outcome: .success(.null)), ResponseObject(id: 2, outcome: .success(RawJSON(2))),
            ResponseObject(id: 2, outcome: .success(RawJSON(3))),
        ]
        let (first, second) = try await TransportCaller(over: FixedObjectTransport(responses: responses))
            .results(subtract, subtract)
        #expect(first.callError?.clientError?.code == .missingResponse)
        #expect(second == .success(2))
    }
}
