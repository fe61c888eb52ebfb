// swift-jsonrpc · SPDX-License-Identifier: MIT

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
        let cached = ClosureInterceptor { _, _, _, _ in (HTTPResponse(status: .ok), HTTPByteStream(Array("7".utf8))) }
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
}
