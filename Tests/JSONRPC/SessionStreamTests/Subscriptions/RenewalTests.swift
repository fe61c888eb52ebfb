// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// The subscriptions of a client that reconnects.
@Suite(.inTurn(within: .seconds(60))) struct RenewalTests {
    private let server = ReconnectingPeer()
    private var peer: ScriptedPeer { server.peer }

    /// Ends a stable connection, and waits for the next.
    private func reconnect(_ client: JSONRPCClient, number: Int = 2) async throws {
        try await loseConnection(client)
        try await server.letConnect(number, after: .seconds(1))
    }

    private func loseConnection(_ client: JSONRPCClient) async throws {
        await client.reaches(.connected)
        server.clock.advance(by: .seconds(10))
        peer.drop()
        await client.reaches(.reconnecting(attempt: 1))
    }

    private func numbers(
        _ client: JSONRPCClient, _ id: JSONValue, resume: (@Sendable (Int?) async throws -> [Int])? = nil
    ) async throws -> Subscription<Int> {
        async let subscribing = client.numbers(resume: resume)
        try await peer.confirm(id)
        return try await subscribing
    }

    // MARK: Renewal

    @Test func aSubscriptionSurvivesTheRestartOfItsServer() async throws {
        let client = server.client()
        let events = client.events
        try await client.connect()
        let numbers = try await numbers(client, 1)
        try peer.publish(1, 10)
        try await reconnect(client)
        let request = try await peer.expectRequest("eth_subscribe", params: ["numbers"])
        #expect(request.connection == 2)
        // The id of the last connection is now unknown.
        try peer.publish(1, 666)
        try peer.publish(2, 20)
        try peer.reply(to: request, result: 2)
        try peer.publish(2, 30)
        #expect(try await numbers.take(4) == [.value(10), .reconnected, .value(20), .value(30)])
        #expect(numbers.id?.description == "2")
        guard case .unknownID(_, let id) = await events.nextOfSubscriptions() else { return #expect(Bool(false)) }
        #expect(id.description == "1")
        guard case .renewed("eth_subscribe") = await events.nextOfSubscriptions() else { return #expect(Bool(false)) }
        #expect(client.subscriptionCounts.renewals == 1)
        #expect(client.gapCounts.reconnected == 1)

        async let end: Void = numbers.unsubscribe()
        try await peer.confirmEnd(2)
        await end
        await client.close()
    }

    @Test func theNewServerMayUseTheOldIDs() async throws {
        let client = server.client()
        try await client.connect()
        let (left, right) = (try await numbers(client, 1), try await numbers(client, 2))
        try await reconnect(client)
        let first = try await peer.expectRequest("eth_subscribe")
        let second = try await peer.expectRequest("eth_subscribe")
        try peer.reply(to: first, result: 2)
        try peer.reply(to: second, result: 1)
        try peer.publish(1, 10)
        try peer.publish(2, 20)
        let values = Set([try await left.take(2), try await right.take(2)].compactMap(\.last?.value))
        #expect(values == [10, 20])
        await client.close()
    }

    @Test func theHookRunsBeforeTheRenewal() async throws {
        let client = server.client(onConnect: { session in
            let _: Bool = try await session.call("login")
        })
        async let connected: Void = client.connect()
        try peer.reply(to: try await peer.expectRequest("login"), result: true)
        try await connected
        let numbers = try await numbers(client, 1)
        try await reconnect(client)
        let login = try await peer.expectRequest()
        #expect(login.method == "login")
        try peer.reply(to: login, result: true)
        try await peer.confirm(2)
        #expect(try await numbers.take(1) == [.reconnected])
        await client.close()
    }

    @Test func anAnswerThatComesLateDelaysNoCalls() async throws {
        let client = server.client()
        try await client.connect()
        let numbers = try await numbers(client, 1)
        try await loseConnection(client)
        async let call: Int = client.call("m")
        try await server.letConnect(after: .seconds(1))
        let request = try await peer.expectRequest("eth_subscribe")
        try peer.reply(to: try await peer.expectRequest("m"), result: 5)
        #expect(try await call == 5)
        try peer.reply(to: request, result: 2)
        #expect(try await numbers.take(1) == [.reconnected])
        await client.close()
    }

    @Test func aLossDuringTheRenewalMakesOneGap() async throws {
        let client = server.client()
        try await client.connect()
        let numbers = try await numbers(client, 1)
        try peer.publish(1, 10)
        #expect(try await numbers.take(1) == [.value(10)])
        for number in 2...4 {
            try await reconnect(client, number: number)
            let request = try await peer.expectRequest("eth_subscribe")
            #expect(request.connection == number)
            if number == 4 { try peer.reply(to: request, result: 9) }
        }
        try peer.publish(9, 20)
        #expect(try await numbers.take(2) == [.reconnected, .value(20)])
        await client.close()
    }

    @Test func aRefusalEndsItsStreamOnly() async throws {
        let client = server.client()
        try await client.connect()
        let (first, second) = (try await numbers(client, 1), try await numbers(client, 2))
        try peer.publish(1, 10)
        try peer.publish(2, 20)
        try await reconnect(client)
        let requests = [
            try await peer.expectRequest("eth_subscribe"), try await peer.expectRequest("eth_subscribe"),
        ]
        try peer.reply(to: requests[0], error: ErrorObject(code: -5, message: "no such topic"))
        try peer.reply(to: requests[1], result: 3)
        try peer.publish(3, 30)
        var ended = 0
        for (subscription, value) in [(first, 10), (second, 20)] {
            var iterator = subscription.makeAsyncIterator()
            #expect(try await iterator.next() == .value(value))
            do {
                #expect(try await iterator.next() == .reconnected)
                #expect(try await iterator.next() == .value(30))
            } catch let error as ErrorObject {
                #expect(error.code.rawValue == -5)
                ended += 1
            }
        }
        #expect(ended == 1 && client.subscriptionCounts.active == 1)
        await client.close()
    }

    @Test func aRenewalWithoutAnAnswerEndsItsStream() async throws {
        let client = server.client(configuration: { $0.calls.timeout = .seconds(5) })
        try await client.connect()
        let numbers = try await numbers(client, 1)
        try await reconnect(client)
        let request = try await peer.expectRequest("eth_subscribe")
        await server.clock.waitForSleeper(dueIn: .seconds(5))
        server.clock.advance(by: .seconds(5))
        let error = await #expect(throws: ClientError.self) { try await numbers.take(1) }
        #expect(error?.code == .timedOut)
        try peer.reply(to: request, result: 2)
        try await peer.confirmEnd(2)
        await client.close()
    }

    // MARK: Consumers

    @Test func aConsumerThatLeavesMeanwhileIsNotRenewed() async throws {
        let client = server.client()
        try await client.connect()
        let numbers = try await numbers(client, 1)
        try await loseConnection(client)
        await numbers.unsubscribe()
        try await server.letConnect(after: .seconds(1))
        async let call: Int = client.call("m")
        try peer.reply(to: try await peer.expectRequest(), result: 1)
        #expect(try await call == 1)
        #expect(client.subscriptionCounts == SubscriptionCounts())
        await client.close()
    }

    @Test func aConsumerThatLeavesDuringTheRenewalIsUnsubscribed() async throws {
        let client = server.client()
        try await client.connect()
        let numbers = try await numbers(client, 1)
        try await reconnect(client)
        let request = try await peer.expectRequest("eth_subscribe")
        await numbers.unsubscribe()
        try peer.reply(to: request, result: 2)
        try await peer.confirmEnd(2)
        await client.close()
    }

    @Test func aSubscriptionCanBeginWithoutAConnection() async throws {
        let client = server.client()
        try await client.connect()
        try await loseConnection(client)
        async let subscribing = client.numbers()
        try await server.letConnect(after: .seconds(1))
        try await peer.confirm(1)
        let numbers = try await subscribing
        try peer.publish(1, 10)
        // It had no session before, so there is no gap.
        #expect(try await numbers.take(1) == [.value(10)])
        await client.close()
    }

    @Test func aRequestWhoseConnectionIsLostIsSentAgain() async throws {
        let client = server.client()
        try await client.connect()
        async let subscribing = client.numbers()
        try await peer.expectRequest("eth_subscribe")
        try await reconnect(client)
        try await peer.confirm(1)
        let numbers = try await subscribing
        try peer.publish(1, 10)
        #expect(try await numbers.take(1) == [.value(10)])
        #expect(client.subscriptionCounts == SubscriptionCounts(active: 1))
        await client.close()
    }

    @Test func aSubscriptionOfTheSessionEndsWithIt() async throws {
        let client = server.client()
        try await client.connect()
        let session = try #require(client.session)
        async let subscribing = session.numbers()
        try await peer.confirm(1)
        let numbers = try await subscribing
        try peer.publish(1, 10)
        try await reconnect(client)
        var iterator = numbers.makeAsyncIterator()
        #expect(try await iterator.next() == .value(10))
        let error = await #expect(throws: ClientError.self) { try await iterator.next() }
        #expect(error?.code == .connectionLost)
        await client.close()
        #expect(peer.received.count { $0.json?["method"] == "eth_subscribe" } == 1)
    }

    @Test func theEndOfTheClientEndsItsSubscriptions() async throws {
        let client = server.client(configuration: { $0.calls.timeout = nil })
        try await client.connect()
        let numbers = try await numbers(client, 1)
        try await loseConnection(client)
        await client.close()
        #expect(try await numbers.take(1).isEmpty)
        #expect(client.subscriptionCounts == SubscriptionCounts())
    }
}
