// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct ReconnectTests {
    typealias Refused = ReconnectingPeer.Dials.Refused

    private let server = ReconnectingPeer()

    // MARK: Life

    @Test func aClientSurvivesTheRestartOfItsServer() async throws {
        let client = server.client()
        let states = client.states
        client.handle("whoAreYou") { "a client" }
        let ticks = client.notifications("tick", as: [Int].self)
        try await client.connect()
        try server.peer.notify("tick", params: [1])

        server.clock.advance(by: .seconds(10))
        server.peer.close(code: 1012, reason: "restart")
        await client.reaches(.reconnecting(attempt: 1))
        // A call that begins now waits.
        async let answer: Int = client.call("double", params: [21])
        try await server.letConnect(after: .seconds(1))
        try server.peer.reply(to: try await server.peer.expectRequest("double"), result: 42)
        #expect(try await answer == 42)

        try server.peer.notify("tick", params: [2])
        var iterator = ticks.makeAsyncIterator()
        #expect(try await iterator.next() == .value([1]))
        #expect(try await iterator.next() == .gap(NotificationGap(reason: .reconnected, count: nil)))
        #expect(try await iterator.next() == .value([2]))
        try server.peer.request("whoAreYou", id: 1)
        #expect(try await server.peer.expectResponse(to: 1).outcome == .success("a client"))

        await client.close()
        #expect(try await iterator.next() == nil)
        #expect(
            await states.reduce(into: []) { $0.append($1) }
                == [.idle, .connecting, .connected, .reconnecting(attempt: 1), .connected, .closing, .closed])
    }

    @Test func theTimesBetweenAttemptsGrow() async throws {
        let client = server.client()
        let events = client.events
        try await client.connect()
        server.dials.setDown(true)
        server.clock.advance(by: .seconds(10))
        server.peer.drop()
        for delay in [1, 2, 4, 8, 8] { await server.letAttemptBegin(after: .seconds(delay)) }
        await server.clock.waitForSleeper(dueIn: .seconds(8))
        server.dials.setDown(false)
        await server.letAttemptBegin(after: .seconds(8))
        await client.reaches(.connected)
        #expect(server.dials.times == [0, 11, 13, 17, 25, 33, 41].map { .seconds($0) })
        await client.close()
        var delays: [Duration?] = []
        for await case .connectFailed(let error, let delay) in events {
            #expect(error.code == .connectFailed && error.cause is Refused)
            delays.append(delay)
        }
        #expect(delays == [2, 4, 8, 8, 8].map { .seconds($0) })
    }

    @Test func aServerThatDropsConnectionsAtOnceIsNotDialledInALoop() async throws {
        let client = server.client()
        try await client.connect()
        for (number, delay) in [2, 4, 8, 8].enumerated() {
            server.peer.drop()
            await server.letAttemptBegin(after: .seconds(delay))
            try await server.peer.expectConnection(number + 2)
            await client.reaches(.connected)
        }
        #expect(server.dials.times == [0, 2, 6, 14, 22].map { .seconds($0) })
        await client.close()
    }

    @Test(arguments: [UInt16(1000), 1008])
    func aPeerCanEndTheClient(_ code: UInt16) async throws {
        let client = server.client()
        try await client.connect()
        async let end = outcome { try await client.run() }
        let stream = client.notifications("n", as: RawJSON.self)
        server.peer.close(code: code, reason: "no more")
        let error = try #require(await end.failure as? ClientError)
        #expect(error.code == .connectionLost && error.closeCode == code)
        #expect(client.state == .closed)
        await #expect(throws: ClientError.self) { for try await _ in stream {} }
        let call = try #require(await outcome { try await client.callRaw("m") }.failure as? ClientError)
        #expect(call.code == .connectionLost && call.delivery == .notSent && call.method == "m")
    }

    @Test func alwaysRepeatsTheFirstAttemptToo() async throws {
        server.dials.fail(Refused(), Refused(retryAfter: .seconds(20)))
        let client = server.client(.always)
        async let connected: Void = client.connect()
        await server.letAttemptBegin(after: .seconds(2))
        await server.letAttemptBegin(after: .seconds(20))
        try await connected
        #expect(server.dials.times == [0, 2, 22].map { .seconds($0) })
        server.peer.close(code: 1000)
        // The two failures count, because the connection was not stable.
        try await server.letConnect(after: .seconds(8))
        await client.reaches(.connected)
        await client.close()
    }

    @Test func anAttemptThatCannotSucceedEndsTheClient() async throws {
        let client = server.client()
        try await client.connect()
        async let end = outcome { try await client.run() }
        server.dials.fail(Refused(), Refused(isRetryable: false))
        server.peer.drop()
        await client.reaches(.reconnecting(attempt: 2))
        async let call = outcome { try await client.callRaw("m") }
        await server.letAttemptBegin(after: .seconds(2))
        await server.letAttemptBegin(after: .seconds(4))
        #expect((await end.failure as? ClientError)?.code == .connectFailed)
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .connectFailed && error.delivery == .notSent && error.cause is Refused)
        #expect(client.state == .closed)
    }

    @Test func theErrorSaysThatTheClientGaveUp() async throws {
        let client = server.client(.always) { $0.maximumAttempts = 2 }
        server.dials.setDown(true)
        async let attempt = outcome { try await client.connect() }
        await server.letAttemptBegin(after: .seconds(2))
        let error = try #require(await attempt.failure as? ClientError)
        #expect(error.message == "Could not connect. The client gave up after 2 attempts in a row.")
        #expect(client.state == .idle)
        // It can be told to try again.
        server.dials.setDown(false)
        try await client.connect()
        await client.close()
    }

    // MARK: Ends

    @Test func closingEndsAClientThatWaitsForItsNextAttempt() async throws {
        let client = server.client()
        try await client.connect()
        async let running: Void = client.run()
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        async let call = outcome { try await client.callRaw("m", timeout: nil) }
        await client.close()
        #expect(client.state == .closed)
        try await running
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .closed && error.delivery == .notSent)
    }

    @Test func cancellingRunEndsAClientThatReconnects() async throws {
        let client = server.client()
        try await client.connect()
        let running = Task { try await client.run() }
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        running.cancel()
        try await running.value
        #expect(client.state == .closed)
    }

    @Test func cancellingConnectEndsItsAttempts() async throws {
        server.dials.setDown(true)
        let client = server.client(.always)
        let attempt = Task { try await client.connect() }
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        attempt.cancel()
        await #expect(throws: CancellationError.self) { try await attempt.value }
        #expect(client.state == .idle)
    }

    @Test func nothingRemainsOfAClientThatIsReleased() async throws {
        var client: JSONRPCClient? = server.client()
        try await client?.connect()
        let states = try #require(client?.states)
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        client = nil
        #expect(await states.reduce(into: []) { $0.append($1) }.last == .closed)
        // The wait for the attempt was cancelled.
        server.clock.advance(by: .seconds(60))
        #expect(server.dials.times.count == 1)
    }

    // MARK: onConnect

    @Test func theClosureRunsBeforeAnyCall() async throws {
        let client = server.client(onConnect: { session in
            let token: String = try await session.call("login", params: ["user": "me"])
            #expect(token == "t")
        })
        for number in 1...2 {
            async let connected: Void = client.reaches(.connected)
            if number == 1 {
                async let attempt: Void = client.connect()
                let login = try await server.peer.expectRequest("login")
                async let call: Int = client.call("m")
                try server.peer.reply(to: login, result: "t")
                try await attempt
                try server.peer.reply(to: try await server.peer.expectRequest("m"), result: 1)
                #expect(try await call == 1)
            } else {
                server.peer.drop()
                await client.reaches(.reconnecting(attempt: 2))
                async let call: Int = client.call("m")
                try await server.letConnect(after: .seconds(2))
                // The waiting call is sent only after the login.
                let login = try await server.peer.expectRequest()
                #expect(login.method == "login")
                try server.peer.reply(to: login, result: "t")
                try server.peer.reply(to: try await server.peer.expectRequest("m"), result: 2)
                #expect(try await call == 2)
            }
            await connected
        }
        await client.close()
    }

    /// Closures often capture an object that retains the session. If the session retained the closure, too, neither
    /// would be released.
    @Test func theClientKeepsTheClosureAndItsSessionDoesNot() async throws {
        let client = server.client(onConnect: { _ in })
        try await client.connect()
        let session = try #require(client.session)
        let isInClient = client.configuration.onConnect != nil
        let isInSession = session.configuration.onConnect != nil
        #expect(isInClient && !isInSession)
        await client.close()
    }

    @Test func aClosureThatFailsIsAFailedAttempt() async throws {
        let client = server.client(onConnect: { session in _ = try await session.callRaw("login") })
        async let attempt = outcome { try await client.connect() }
        let refusal = ErrorObject(code: 1, message: "wrong password")
        try server.peer.reply(to: try await server.peer.expectRequest("login"), error: refusal)
        let error = try #require(await attempt.failure as? ClientError)
        #expect(error.code == .connectFailed && (error.cause as? ErrorObject) == refusal)
        #expect(!error.isRetryable)
        #expect(try await server.peer.expectClosure().code == 1000)
        #expect(client.state == .idle)
        await client.close()
    }

    @Test func aConnectionThatIsLostInTheClosureIsAFailedAttempt() async throws {
        let client = server.client(
            .always,
            onConnect: { session in
                if await session.callRawIsAnswered("login") { return }
                // This ends only because the task is cancelled.
                let (never, keeper) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
                withExtendedLifetime(keeper) {}
                throw CancellationError()
            })
        async let connected: Void = client.connect()
        try await server.peer.expectRequest("login")
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        try server.peer.reply(to: try await server.peer.expectRequest("login"), result: true)
        try await connected
        await client.close()
    }
}

extension DuplexSession {
    fileprivate func callRawIsAnswered(_ method: String) async -> Bool {
        await outcome { try await self.callRaw(method) }.failure == nil
    }
}
