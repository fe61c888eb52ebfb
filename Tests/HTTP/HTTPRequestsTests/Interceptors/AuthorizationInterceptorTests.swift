// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct AuthorizationInterceptorTests {
    /// A server that accepts one token.
    private func server(accepting token: String) -> MockHTTPTransport {
        let transport = MockHTTPTransport(reply: .text("no", status: 401))
        transport.when(
            HTTPRequestMatcher("authorized") { $0.head.headerFields[.authorization] == "Bearer \(token)" },
            reply: .json("1"))
        return transport
    }

    @Test func aHundredRefusedRequestsMakeOneRefresh() async throws {
        let (refreshes, gate) = (Log<String?>(), HTTPGate())
        let arrived = HTTPGate()
        let transport = server(accepting: "new")
        let count = Log<Int>()
        // All requests are sent with the old token before any of them is refused.
        transport.when(
            HTTPRequestMatcher("old") { $0.head.headerFields[.authorization] == "Bearer old" },
            reply: MockHTTPReply { _ in
                count.add(1)
                if count.values.count == 100 { arrived.open() }
                try await arrived.pass()
                return ReceivedHTTPResponse(HTTPResponse(status: .unauthorized))
            })
        let authorization = AuthorizationInterceptor(token: "old") { refused in
            refreshes.add(refused)
            try await gate.pass()
            return "new"
        }
        let session = HTTPSession(transport: transport, interceptors: [authorization])
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await session.send(Get<Int>()) } }
            try await arrived.pass()
            gate.open()
            return try await group.reduce(0, +)
        }
        #expect(sum == 100)
        #expect(refreshes.values == ["old"])
        #expect(authorization.token == "new")
    }

    @Test func aLateRefusalOfTheOldTokenUsesTheNewOne() async throws {
        let late = HTTPGate()
        let transport = server(accepting: "new")
        transport.when(
            HTTPRequestMatcher("late") {
                $0.head.path == "/late" && $0.head.headerFields[.authorization] == "Bearer old"
            },
            reply: .held(by: late, then: .status(401)))
        let refreshes = Log<String?>()
        let authorization = AuthorizationInterceptor(token: "old") { refused in
            refreshes.add(refused)
            return "new"
        }
        let session = HTTPSession(transport: transport, interceptors: [authorization])
        async let slow = session.send(Get<Int>(path: "/late"))
        try await transport.waitForRequests(1)
        #expect(try await session.send(Get<Int>()) == 1)
        late.open()
        #expect(try await slow == 1)
        #expect(refreshes.values == ["old"])
    }

    @Test func theFirstTokenIsAskedFor() async throws {
        let refreshes = Log<String?>()
        let authorization = AuthorizationInterceptor { refused in
            refreshes.add(refused)
            return "new"
        }
        let session = HTTPSession(transport: server(accepting: "new"), interceptors: [authorization])
        #expect(try await session.send(Get<Int>()) == 1)
        #expect(refreshes.values == [nil])
    }

    @Test func aFailedRefreshDropsTheToken() async throws {
        let attempts = Log<String?>()
        let authorization = AuthorizationInterceptor(token: "old") { refused in
            attempts.add(refused)
            if attempts.values.count == 1 { throw Planned() }
            return "new"
        }
        let session = HTTPSession(transport: server(accepting: "new"), interceptors: [authorization])
        do throws(HTTPRequestError<[UInt8]>) {
            _ = try await session.send(Get<Int>())
            Issue.record("The request succeeded.")
        } catch {
            guard case .request(let failure) = error else { throw error }
            let cause = try #require(failure.underlying as? HTTPAuthorizationError)
            #expect(cause.underlying as? Planned == Planned())
            #expect(cause.head?.status == .unauthorized)
        }
        #expect(authorization.token == nil)
        // The next request asks for a token by itself.
        #expect(try await session.send(Get<Int>()) == 1)
        #expect(attempts.values == ["old", nil])
    }

    /// Requests that were sent with the old token are refused one after the other.
    @Test(arguments: [nil, "wrong"])
    func lateRefusalsOfATokenShareItsRefresh(_ replacement: String?) async throws {
        let late = (0..<20).map { _ in HTTPGate() }
        let transport = server(accepting: "new")
        for (index, gate) in late.enumerated() {
            transport.when(
                HTTPRequestMatcher("late \(index)") {
                    $0.head.path == "/\(index)" && $0.head.headerFields[.authorization] == "Bearer old"
                },
                reply: .held(by: gate, then: .status(401)))
        }
        let refreshes = Log<String?>()
        let authorization = AuthorizationInterceptor(token: "old") { refused in
            refreshes.add(refused)
            if refreshes.values.count > 1 { return "new" }
            guard let replacement else { throw Planned() }
            return replacement
        }
        let session = HTTPSession(transport: transport, interceptors: [authorization])
        let requests = late.indices.map { index in
            Task {
                do throws(HTTPRequestError<[UInt8]>) {
                    return "\(try await session.send(Get<Int>(path: "/\(index)")))"
                } catch {
                    return error.stage
                }
            }
        }
        try await transport.waitForRequests(20)
        for (gate, request) in zip(late, requests) {
            gate.open()
            #expect(await request.value == (replacement == nil ? "request" : "status"))
        }
        #expect(refreshes.values == ["old"])
        // The next request asks for a token by itself.
        #expect(try await session.send(Get<Int>()) == 1)
        #expect(refreshes.values == ["old", nil])
    }

    /// A dropped token may be issued and refused again.
    @Test func aTokenThatComesBackIsReplacedAgain() async throws {
        let refreshes = Log<String?>()
        let authorization = AuthorizationInterceptor(token: "old") { refused in
            refreshes.add(refused)
            switch refreshes.values.count {
            case 1: throw Planned()
            case 2: return "old"
            default: return "new"
            }
        }
        let session = HTTPSession(transport: server(accepting: "new"), interceptors: [authorization])
        await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await session.send(Get<Int>()) }
        #expect(try await session.send(Get<Int>()) == 1)
        #expect(refreshes.values == ["old", nil, "old"])
    }

    @Test func aRefusedReplacementIsDroppedAndNotReplacedAgain() async throws {
        let refreshes = Log<String?>()
        let authorization = AuthorizationInterceptor(token: "old") { refused in
            refreshes.add(refused)
            return "wrong"
        }
        let transport = server(accepting: "new")
        let session = HTTPSession(transport: transport, interceptors: [authorization])
        await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await session.send(Get<Int>()) }
        #expect(transport.requests.count == 2)
        #expect(refreshes.values == ["old"])
        #expect(authorization.token == nil)
    }

    @Test func aSingleUseBodyIsNotSentAgain() async throws {
        let refreshes = Log<String?>()
        let authorization = AuthorizationInterceptor(token: "old") { refused in
            refreshes.add(refused)
            return "new"
        }
        let transport = server(accepting: "new")
        let entity = HTTPBodyEntity(content: .stream(length: nil, isReplayable: false) { HTTPByteStream([1]) })
        let next = NextHTTPInterceptor { try await transport.send($0, body: $1, context: $2) }
        let request = HTTPRequest(method: .post, scheme: "https", authority: "api.example.com", path: "/")
        let response = try await authorization.intercept(
            request, body: entity, context: HTTPRequestContext(), next: next)
        #expect(response.head.status == .unauthorized)
        #expect(try await response.body.collect(upTo: 10) == Array("no".utf8))
        #expect(transport.requests.count == 1)
        #expect(authorization.token == nil)
    }

    @Test func aRefusalWithALongBodyFreesItsConnection() async throws {
        let transport = server(accepting: "new")
        transport.when(
            HTTPRequestMatcher("old") { $0.head.headerFields[.authorization] == "Bearer old" },
            reply: .stream(HTTPPieceFeed(), status: 401, length: 1 << 40))
        let authorization = AuthorizationInterceptor(token: "old") { _ in "new" }
        let session = HTTPSession(
            transport: transport, interceptors: [authorization, ConcurrencyLimitInterceptor(limit: 1)])
        #expect(try await session.send(Get<Int>()) == 1)
    }

    @Test func otherRequestsAreLeftAlone() async throws {
        let transport = MockHTTPTransport(reply: .json("1"))
        let authorization = AuthorizationInterceptor(token: "t", appliesTo: { $0.path == "/mine" }) { _ in "t" }
        let session = HTTPSession(transport: transport, interceptors: [authorization])
        _ = try await session.send(Get<Int>(path: "/mine"))
        _ = try await session.send(Get<Int>(path: "/other"))
        _ = try await session.send(Get<Int>(path: "/mine", headerFields: [.authorization: "Basic x"]))
        #expect(transport.requests.map { $0.head.headerFields[.authorization] } == ["Bearer t", nil, "Basic x"])
    }

    @Test func aCancelledRequestDoesNotWaitForTheToken() async throws {
        let (asked, gate) = (HTTPGate(), HTTPGate())
        let authorization = AuthorizationInterceptor { _ in
            asked.open()
            try await gate.pass()
            return "new"
        }
        let session = HTTPSession(transport: server(accepting: "new"), interceptors: [authorization])
        let cancelled = Task {
            do throws(HTTPRequestError<[UInt8]>) {
                return "\(try await session.send(Get<Int>()))"
            } catch {
                return error.stage
            }
        }
        try await asked.pass()
        async let other = session.send(Get<Int>())
        cancelled.cancel()
        #expect(await cancelled.value == "cancelled")
        gate.open()
        #expect(try await other == 1)
    }
}
