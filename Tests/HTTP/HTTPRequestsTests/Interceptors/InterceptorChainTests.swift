// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@Suite(.inTurn) struct InterceptorChainTests {
    private let order = Log<String>()

    private func noting(_ name: String) -> ClosureInterceptor {
        let order = order
        return ClosureInterceptor { request, body, context, next in
            order.add("\(name)>")
            defer { order.add("<\(name)") }
            return try await next(request, body: body, context: context)
        }
    }

    @Test func theFirstIsTheOutermostAndThoseOfTheRequestAreInside() async throws {
        let session = HTTPSession(
            transport: MockHTTPTransport(reply: .json("1")), interceptors: [noting("a"), noting("b")])
        _ = try await session.send(Get<Int>(interceptors: [noting("c")]))
        #expect(order.values == ["a>", "b>", "c>", "<c", "<b", "<a"])
    }

    @Test func anInterceptorCanAnswerByItself() async throws {
        let transport = MockHTTPTransport()
        let cached = ClosureInterceptor { _, _, _, _ in
            ReceivedHTTPResponse(HTTPResponse(status: .ok), body: HTTPByteStream(Array("7".utf8)))
        }
        let session = HTTPSession(transport: transport, interceptors: [cached, noting("inner")])
        #expect(try await session.send(Get<Int>()) == 7)
        #expect(transport.requests.isEmpty)
        #expect(order.values.isEmpty)
    }

    @Test func anInterceptorCanSendSeveralTimesAndChangeTheRequest() async throws {
        let transport = MockHTTPTransport(reply: .json("1"))
        let twice = ClosureInterceptor { request, body, context, next in
            var changed = request
            changed.path = "/warm"
            _ = try await next(changed, body: body, context: context)
            return try await next(request, body: body, context: context)
        }
        let session = HTTPSession(transport: transport, interceptors: [twice, noting("inner")])
        _ = try await session.send(Get<Int>(path: "/x"))
        #expect(transport.requests.map(\.head.path) == ["/warm", "/x"])
        #expect(order.values.count == 4)
    }

    @Test func theContextComesFromTheRequest() async throws {
        let contexts = Log<HTTPRequestContext>()
        let session = HTTPSession(
            transport: MockHTTPTransport(reply: .json("1")),
            interceptors: [
                ClosureInterceptor { request, body, context, next in
                    contexts.add(context)
                    return try await next(request, body: body, context: context)
                }
            ])
        var timeouts = HTTPTimeouts()
        timeouts.total = .seconds(100)
        _ = try await session.send(Get<Int>(timeouts: timeouts))
        _ = try await session.send(Get<Int>(method: .post))
        #expect(contexts.values.map(\.isIdempotent) == [true, false])
        #expect(contexts.values.map(\.attempt) == [1, 1])
        #expect(contexts.values.map { $0.deadline != nil } == [true, false])
        #expect(contexts.values.map(\.timeouts) == [timeouts, HTTPTimeouts()])
    }

    /// The request passes a retry, a redirect, a recording and a cache.
    @Test func theFactsAreThoseOfTheLastExchange() async throws {
        let (mock, clock) = (MockHTTPTransport(), ManualHTTPClock())
        let replies: [(Int, String, HTTPFields)] = [
            (503, "1.0", [:]), (302, "1.1", [.location: "/x"]), (200, "2", [.eTag: #""a""#]), (304, "3", [:]),
        ]
        for (status, version, fields) in replies {
            mock.expect(
                reply: MockHTTPReply { _ in
                    clock.advance(by: .seconds(3))
                    return ReceivedHTTPResponse(
                        HTTPResponse(status: .init(code: status), headerFields: fields), body: HTTPByteStream([0x31]),
                        facts: HTTPExchangeFacts(httpVersion: version))
                })
        }
        var retry = RetryInterceptor()
        retry.clock = ImmediateHTTPClock()
        var configuration = HTTPSessionConfiguration()
        configuration.clock = clock
        let session = HTTPSession(
            transport: RecordingHTTPTransport(over: mock),
            interceptors: [retry, RevalidationInterceptor(store: MemoryHTTPResponseStore())],
            configuration: configuration)
        for version in ["2", "3"] {
            let facts = try await session.send(GetFacts())
            #expect(facts.httpVersion == version)
            #expect(facts.timeToHead == .seconds(3))
        }
        try mock.verify()
    }
}

/// A request whose response is the facts of its exchange.
private struct GetFacts: HTTPAPIRequest {
    typealias Response = HTTPExchangeFacts
    var baseURL: URL { exampleAPI }
    var path: String { "/" }

    func response(from content: HTTPResponseContent) async throws -> HTTPExchangeFacts {
        _ = try await content.bytes()
        return content.facts
    }
}
