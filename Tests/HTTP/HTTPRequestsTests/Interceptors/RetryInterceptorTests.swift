// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct RetryInterceptorTests {
    private let clock = ImmediateHTTPClock()

    private func interceptor(_ change: (inout RetryInterceptor) -> Void = { _ in }) -> RetryInterceptor {
        var interceptor = RetryInterceptor()
        interceptor.clock = clock
        interceptor.jitter = { 1 }
        change(&interceptor)
        return interceptor
    }

    /// Sends a request, and returns the status or the stage of the failure, and the number of attempts.
    private func run(
        _ replies: [MockHTTPReply], method: HTTPRequest.Method = .get, body: HTTPBodyEntity? = nil,
        retry: RetryInterceptor? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws -> (result: String, attempts: [Int]) {
        let transport = MockHTTPTransport()
        for reply in replies { transport.expect(reply: reply) }
        var context = HTTPRequestContext()
        context.isIdempotent = method.isIdempotent
        context.deadline = deadline
        let request = HTTPRequest(method: method, scheme: "https", authority: "api.example.com", path: "/")
        let next = NextHTTPInterceptor { try await transport.send($0, body: $1, context: $2) }
        var result: String
        do {
            let response = try await (retry ?? interceptor()).intercept(
                request, body: body, context: context, next: next)
            let text = String(decoding: try await response.body.collect(upTo: 1000), as: UTF8.self)
            result = "\(response.head.status.code) \(text)"
        } catch {
            result = "\(error)"
        }
        return (result, transport.requests.map(\.context.attempt))
    }

    private static let lost = MockHTTPReply.failure(HTTPTransportError(.connectionLost, "lost"))
    private static let unsent = MockHTTPReply.failure(
        HTTPTransportError(.cannotConnect, "refused", isRequestUnsent: true))
    private static let stale = MockHTTPReply.failure(
        HTTPTransportError(.connectionLost, "stale", wasConnectionStale: true))

    @Test(arguments: [408, 429, 502, 503, 504])
    func idempotentRequestsAreSentAgain(_ status: Int) async throws {
        let (result, attempts) = try await run([.text("busy", status: status), .text("ok")])
        #expect(result == "200 ok")
        #expect(attempts == [1, 2])
    }

    @Test(arguments: [400, 401, 403, 404, 409, 413, 418, 500, 501, 505, 200, 301])
    func otherStatusesAreFinal(_ status: Int) async throws {
        let (result, attempts) = try await run([.text("x", status: status)])
        #expect(result == "\(status) x")
        #expect(attempts == [1])
    }

    @Test(arguments: [(408, 1), (413, 1), (429, 2), (502, 1), (503, 1), (504, 1)])
    func otherRequestsAreSentAgainIfTheyWereNotProcessed(_ status: Int, _ attempts: Int) async throws {
        let outcome = try await run([.text("x", status: status), .text("ok")], method: .post)
        #expect(outcome.attempts.count == attempts)
    }

    @Test func lostConnectionsAreRetriedForIdempotentRequests() async throws {
        #expect(try await run([Self.lost, .text("ok")]).result == "200 ok")
        #expect(try await run([Self.lost], method: .post).result == "lost (connectionLost)")
        #expect(try await run([Self.unsent, .text("ok")], method: .post).result == "200 ok")
    }

    @Test(arguments: [
        HTTPTransportError.Code.secureConnectionFailed, .protocolViolation, .bodyTooLarge, .invalidRequest, .closed,
    ])
    func otherTransportErrorsAreFinal(_ code: HTTPTransportError.Code) async throws {
        let (_, attempts) = try await run([.failure(HTTPTransportError(code, "planned"))])
        #expect(attempts == [1])
    }

    @Test func otherErrorsAreFinal() async throws {
        #expect(try await run([.failure(Planned())]).attempts == [1])
        #expect(try await run([.failure(CancellationError())]).attempts == [1])
    }

    @Test func theLastOutcomeIsTheResult() async throws {
        let (result, attempts) = try await run([Self.lost, .text("a", status: 503), .text("b", status: 502)])
        #expect(result == "502 b")
        #expect(attempts == [1, 2, 3])
    }

    @Test func pausesGrowWithFullJitter() async throws {
        let retry = interceptor { $0.maximumAttempts = 12 }
        _ = try await run(Array(repeating: Self.lost, count: 12), retry: retry)
        let expected: [Duration] = [200, 400, 800, 1600, 3200, 6400, 12800, 20000, 20000, 20000, 20000].map {
            .milliseconds($0)
        }
        #expect(clock.pauses == expected)
    }

    @Test(arguments: [(0.0, 0), (0.5, 100), (1.0, 200), (7.0, 200), (-1.0, 0)])
    func jitterScalesThePause(_ factor: Double, _ milliseconds: Int) async throws {
        _ = try await run([Self.lost, .text("ok")], retry: interceptor { $0.jitter = { factor } })
        #expect(clock.pauses == (milliseconds == 0 ? [] : [.milliseconds(milliseconds)]))
    }

    @Test func hugeValuesDoNotOverflow() async throws {
        let retry = interceptor {
            $0.maximumAttempts = 100
            $0.baseDelay = .seconds(Int64.max / 4)
            $0.maximumDelay = .seconds(1)
        }
        _ = try await run(Array(repeating: Self.lost, count: 100), retry: retry)
        #expect(clock.pauses == Array(repeating: .seconds(1), count: 99))
    }

    @Test(
        arguments: [
            ("7", 7.0), ("0", nil), (" 3 ", 3), ("3600", 60), ("99999999999999999999", 60),
            ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:00:00 GMT", nil),
            ("Sun, 06 Nov 2094 08:49:37 GMT", 60), ("-1", 0.2), ("1.5", 0.2), ("soon", 0.2), ("", 0.2),
        ] as [(String, Double?)])
    func retryAfterReplacesThePause(_ value: String, _ seconds: Double?) async throws {
        let retry = interceptor { $0.currentDate = { Date(timeIntervalSince1970: 784_111_777) } }
        let busy = MockHTTPReply.text("", status: 429, fields: [.retryAfter: value])
        let (result, _) = try await run([busy, .text("ok")], method: .post, retry: retry)
        #expect(result == "200 ok")
        #expect(clock.pauses == (seconds.map { [.seconds($0)] } ?? []))
    }

    @Test func aSingleUseBodyIsNeverSentAgain() async throws {
        let entity = HTTPBodyEntity(
            content: .stream(length: nil, isReplayable: false) { HTTPByteStream([1, 2, 3]) })
        #expect(try await run([.text("busy", status: 503)], method: .put, body: entity).result == "503 busy")
        #expect(try await run([Self.lost], method: .put, body: entity).result == "lost (connectionLost)")
        #expect(try await run([Self.unsent], method: .put, body: entity).result == "refused (cannotConnect)")
        #expect(try await run([Self.stale], method: .put, body: entity).result == "stale (connectionLost)")
    }

    @Test func aBodyThatCannotBeMadeAgainKeepsTheFirstOutcome() async throws {
        let made = Log<Int>()
        let entity = HTTPBodyEntity(
            content: .stream(length: nil, isReplayable: true) {
                made.add(1)
                guard made.values.count == 1 else { throw Planned() }
                return HTTPByteStream([1])
            })
        let outcome = try await run([.text("busy", status: 503), .text("ok")], method: .put, body: entity)
        #expect(outcome.result == "503 busy")
        #expect(made.values.count == 2)
        let other = HTTPBodyEntity(
            content: .stream(length: nil, isReplayable: true) {
                made.add(1)
                guard made.values.count == 3 else { throw Planned() }
                return HTTPByteStream([1])
            })
        #expect(try await run([Self.lost], method: .put, body: other).result == "lost (connectionLost)")
    }

    @Test func aStaleConnectionIsReplacedOnceWithoutAPause() async throws {
        let once = try await run([Self.stale, .text("ok")])
        #expect(once.result == "200 ok")
        #expect(clock.pauses.isEmpty)
        let again = try await run([Self.stale, Self.stale, .text("ok")])
        #expect(again.result == "200 ok")
        #expect(clock.pauses == [.milliseconds(200)])
        #expect(try await run([Self.stale], method: .post).attempts == [1])
        let none = try await run([Self.stale], retry: interceptor { $0.maximumAttempts = 1 })
        #expect(none.attempts == [1])
        // It is not one of the attempts.
        let many = try await run([Self.stale, Self.lost, Self.lost, .text("ok")])
        #expect(many.result == "200 ok")
    }

    @Test func nobodyWaitsBeyondTheDeadline() async throws {
        let busy = MockHTTPReply.text("busy", status: 503, fields: [.retryAfter: "7"])
        let late = try await run([busy], deadline: clock.now.advanced(by: .seconds(7)))
        #expect(late.result == "503 busy")
        let inTime = try await run([busy, .text("ok")], deadline: clock.now.advanced(by: .seconds(8)))
        #expect(inTime.result == "200 ok")
    }

    @Test func aBudgetLimitsTheRetriesOfAllRequests() async throws {
        let budget = RetryBudget(retriesPerRequest: 0.5, capacity: 2)
        let retry = interceptor {
            $0.budget = budget
            $0.maximumAttempts = 10
        }
        let first = try await run(Array(repeating: Self.lost, count: 10), retry: retry)
        #expect(first.attempts == [1, 2, 3])
        #expect(budget.availableRetries == 0)
        #expect(try await run([Self.lost], retry: retry).attempts == [1])
        #expect(try await run([Self.lost, Self.lost], retry: retry).attempts == [1, 2])
    }

    @Test func aCancelledPauseEndsTheRequest() async throws {
        let clock = ManualHTTPClock()
        var retry = RetryInterceptor()
        retry.clock = clock
        retry.baseDelay = .seconds(1000)
        retry.maximumDelay = .seconds(1000)
        let transport = MockHTTPTransport(reply: Self.lost)
        let session = HTTPSession(transport: transport, interceptors: [retry])
        let task = Task {
            do throws(HTTPRequestError<[UInt8]>) {
                return "\(try await session.send(Get<Int>()))"
            } catch {
                return error.stage
            }
        }
        try await transport.waitForRequests(1)
        task.cancel()
        #expect(await task.value == "cancelled")
        #expect(transport.requests.count == 1)
    }

    @Test func aViolatedTimeLimitIsRetried() async throws {
        let limitClock = ManualHTTPClock()
        let transport = MockHTTPTransport()
        transport.expect(reply: .none)
        transport.expect(reply: .json("1"))
        var configuration = HTTPSessionConfiguration()
        configuration.clock = limitClock
        let session = HTTPSession(transport: transport, interceptors: [interceptor()], configuration: configuration)
        async let value = session.send(Get<Int>())
        try await transport.waitForRequests(1)
        limitClock.advance(by: .seconds(60))
        #expect(try await value == 1)
    }

    @Test func aFailureWithALongBodyFreesItsConnection() async throws {
        let transport = MockHTTPTransport()
        transport.expect(reply: .stream(HTTPPieceFeed(), status: 503, length: 1 << 40))
        transport.expect(reply: .json("1"))
        let session = HTTPSession(
            transport: transport, interceptors: [interceptor(), ConcurrencyLimitInterceptor(limit: 1)])
        #expect(try await session.send(Get<Int>()) == 1)
    }

    @Test func theBodyIsSentInEachAttempt() async throws {
        let transport = MockHTTPTransport()
        for _ in 0..<2 { transport.expect(.post("/users"), reply: .status(429)) }
        transport.expect(.post("/users"), reply: .status(201))
        let session = HTTPSession(transport: transport, interceptors: [interceptor()])
        try await session.send(CreateUser())
        #expect(transport.requests.map(\.text) == Array(repeating: #"{"name":"ishkawa"}"#, count: 3))
    }
}
