// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCMacros
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

struct Interval: Codable, Sendable, Equatable {
    var milliseconds: Int
}

enum Topic: String, Codable, Sendable {
    case heads, logs
}

enum FeedError: CallErrorRepresentable {
    case failed(any Error)

    init(callError: any Error) { self = .failed(callError) }

    var errorObject: ErrorObject { ErrorObject(.internalError) }
}

@JSONRPCProxy(prefix: "f.", paramNaming: .snakeCase, timeout: .seconds(40))
protocol Feed {
    @RPCSubscription("ticks", unsubscribe: "untick") func ticks(
        every interval: Interval, inUnits: String?
    ) async throws -> Subscription<Tick>
    @RPCSubscription(unsubscribe: nil, style: .methodName("f.level"), overflow: .dropOldest(capacity: 2))
    func levels() async throws -> Subscription<[Int]>
    @RPCSubscription("eth_subscribe", unsubscribe: "eth_unsubscribe", params: .byPosition, sharing: true)
    func numbers(_ topic: Topic) async throws -> Subscription<Int>
    @RPCSubscription("eth_subscribe", unsubscribe: "eth_unsubscribe", params: .whole)
    func numbers(_ params: [String]) async throws(FeedError) -> Subscription<Int>
    @RPCSubscription(
        "alarms", unsubscribe: "noAlarms", style: .custom(notification: "alarm") { Feeds.message(in: $0) },
        decoding: .report, renaming: ["after": "from"], coder: .isoDates, options: .session("s1"), sharing: true)
    func alarms(after: Date) async throws -> Subscription<[Date]>
    @RPCSubscription("later", unsubscribe: "never")
    func later(completion: @escaping @Sendable (Result<Subscription<Int>, any Error>) -> Void)
    func missedTicks(after count: Int) async throws -> [Tick]
}

enum Feeds {
    /// Reads `{"stream": id, "data": value}`.
    static func message(in notification: InboundNotification) -> SubscriptionStyle.Message? {
        guard let members = try? notification.params?.members(),
            let id = members.first(where: { $0.name == "stream" }).flatMap({ SubscriptionID($0.value) })
        else { return nil }
        return SubscriptionStyle.Message(id: id, payload: members.first { $0.name == "data" }?.value)
    }
}

extension AsyncSequence {
    /// Takes some elements.
    fileprivate func take(_ count: Int) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}

/// Methods of a proxy that subscribe.
@Suite(.inTurn(within: .seconds(60)))
struct SubscriptionTests {
    @Test func aMethodSubscribesByName() async throws {
        let link = try await ScriptedLink()
        async let script: Void = link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"ticks","params":{"every":{"milliseconds":5},"in_units":"s"}}
            <-- {"jsonrpc":"2.0","id":1,"result":"0x1"}
            <-- {"jsonrpc":"2.0","method":"tick","params":{"subscription":"0x1","result":{"count":7}}}
            --> {"jsonrpc":"2.0","id":2,"method":"untick","params":["0x1"]}
            <-- {"jsonrpc":"2.0","id":2,"result":true}
            """#)
        let feed: any Feed = FeedProxy(over: link.client)
        let ticks = try await feed.ticks(every: Interval(milliseconds: 5), inUnits: "s")
        #expect(try await ticks.take(1) == [.value(Tick(count: 7))])
        await ticks.unsubscribe()
        try await script
        try await link.close()
    }

    @Test func theProxyChoosesTheStructureOfParams() async throws {
        let link = try await ScriptedLink()
        async let script: Void = link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"ticks","params":[{"milliseconds":5}]}
            <-- {"jsonrpc":"2.0","id":1,"result":1}
            """#)
        let feed = FeedProxy(over: link.client, params: .byPosition)
        let ticks = try await feed.ticks(every: Interval(milliseconds: 5), inUnits: nil)
        #expect(ticks.id?.description == "1")
        try await script
        link.peer.drop()
    }

    @Test func aMethodHasItsOwnStyleAndPolicies() async throws {
        let link = try await ScriptedLink()
        async let subscribing = FeedProxy(over: link.client).levels()
        try await link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"f.levels"}
            <-- {"jsonrpc":"2.0","id":1,"result":null}
            <-- {"jsonrpc":"2.0","method":"f.level","params":[1]}
            <-- {"jsonrpc":"2.0","method":"f.level","params":[2]}
            <-- {"jsonrpc":"2.0","method":"f.level","params":[3]}
            <-- {"jsonrpc":"2.0","id":9,"method":"end"}
            --> {"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"Method not found"}}
            """#)
        let levels = try await subscribing
        #expect(try await levels.take(3).map(\.value) == [nil, [2], [3]])
        // There is no method that unsubscribes.
        await levels.unsubscribe()
        try await link.close()
    }

    @Test func equalSubscriptionsAreSharedIfTheMethodSaysSo() async throws {
        let link = try await ScriptedLink()
        let feed = FeedProxy(over: link.client)
        async let subscribing = feed.numbers(Topic.heads)
        let request = try await link.peer.expectRequest("eth_subscribe", params: ["heads"])
        try link.peer.reply(to: request, result: 5)
        let first = try await subscribing
        let second = try await feed.numbers(Topic.heads)
        try link.peer.notify("n", params: ["subscription": 5, "result": 1])
        #expect(try await first.take(1) == [.value(1)])
        #expect(try await second.take(1) == [.value(1)])
        // Other params are another subscription.
        async let subscribingToLogs = feed.numbers(Topic.logs)
        try link.peer.reply(to: try await link.peer.expectRequest("eth_subscribe", params: ["logs"]), result: 6)
        let logs = try await subscribingToLogs
        #expect(logs.id?.description == "6")
        async let logsEnded: Void = logs.unsubscribe()
        try link.peer.reply(to: try await link.peer.expectRequest("eth_unsubscribe", params: [6]), result: true)
        await logsEnded
        await first.unsubscribe()
        async let ended: Void = second.unsubscribe()
        try link.peer.reply(to: try await link.peer.expectRequest("eth_unsubscribe", params: [5]), result: true)
        await ended
        try await link.close()
    }

    @Test func anErrorOfThePeerIsThrown() async throws {
        let link = try await ScriptedLink()
        let feed = FeedProxy(over: link.client)
        async let plain = #expect(throws: ErrorObject.self) { try await feed.levels() }
        try link.peer.reply(
            to: try await link.peer.expectRequest("f.levels"), error: ErrorObject(code: -3, message: "no"))
        #expect(await plain?.code == -3)
        async let typed = #expect(throws: FeedError.self) { try await feed.numbers(["logs"]) }
        let request = try await link.peer.expectRequest("eth_subscribe", params: ["logs"])
        try link.peer.reply(to: request, error: ErrorObject(code: -4, message: "no"))
        guard case .failed(let error as ErrorObject) = await typed else { return #expect(Bool(false)) }
        #expect(error.code == -4)
        try await link.close()
    }

    @Test func aMethodHasItsOwnCoderAndOptions() async throws {
        let link = try await ScriptedLink()
        let epoch = Date(timeIntervalSince1970: 0)
        let feed = FeedProxy(over: link.client)
        async let subscribing = feed.alarms(after: epoch)
        try await link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"alarms","params":{"from":"1970-01-01T00:00:00Z"},"session":"s1"}
            <-- {"jsonrpc":"2.0","id":1,"result":"a"}
            <-- {"jsonrpc":"2.0","method":"alarm","params":{"stream":"a","data":["1970-01-02T00:00:00Z"]}}
            <-- {"jsonrpc":"2.0","method":"alarm","params":{"stream":"a","data":[0]}}
            """#)
        let alarms = try await subscribing
        // The style is made once, so the requests are equal and shared.
        let shared = try await feed.alarms(after: epoch)
        #expect(shared.id == alarms.id)
        let elements = try await alarms.take(2)
        #expect(elements.first == .value([epoch.addingTimeInterval(86_400)]))
        guard case .gap(let gap)? = elements.last, case .undecodable = gap.reason else { return #expect(Bool(false)) }
        await shared.unsubscribe()
        async let ended: Void = alarms.unsubscribe()
        let end = try await link.peer.expectRequest("noAlarms", params: ["a"])
        #expect(end.json["session"] == "s1")
        try link.peer.reply(to: end, result: true)
        await ended
        try await link.close()
    }

    @Test func aCompletionHandlerGetsTheSubscription() async throws {
        let link = try await ScriptedLink()
        let subscribed = EventLog<Subscription<Int>>()
        FeedProxy(over: link.client).later { result in
            if case .success(let subscription) = result { subscribed.record(subscription) }
        }
        try link.peer.reply(to: try await link.peer.expectRequest("later"), result: 1)
        try link.peer.notify("n", params: ["subscription": 1, "result": 4])
        let subscription = try #require(await subscribed.wait(count: 1).first)
        #expect(try await subscription.take(1) == [.value(4)])
        link.peer.drop()
    }

    @Test func aLossIsAGapAndMissedValuesCanBeFetched() async throws {
        let peer = ScriptedPeer()
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .milliseconds(1), maximum: .milliseconds(1))
        let client = JSONRPCClient(connector: peer.connector, reconnect: reconnect)
        try await client.connect()
        let request = FeedProxy.requests.ticks(every: Interval(milliseconds: 1), inUnits: nil)
        async let subscribing = request.subscribe(over: client) { last in
            try await FeedProxy(over: client).missedTicks(after: last?.count ?? 0)
        }
        try peer.reply(to: try await peer.expectRequest("ticks"), result: 1)
        try peer.notify("tick", params: ["subscription": 1, "result": ["count": 1]])
        let ticks = try await subscribing
        #expect(try await ticks.take(1) == [.value(Tick(count: 1))])
        peer.drop()
        try await peer.expectClosure(1)
        try await peer.expectConnection(2)
        try peer.reply(to: try await peer.expectRequest("ticks"), result: 2)
        try peer.notify("tick", params: ["subscription": 2, "result": ["count": 3]])
        async let elements = ticks.take(3)
        let missed = try await peer.expectRequest("f.missedTicks", params: ["after": 1])
        try peer.reply(to: missed, result: [["count": 2]])
        let (gap, values) = (try await elements.first, try await elements.dropFirst().compactMap(\.value?.count))
        guard case .gap(let gap)? = gap, gap.reason == .reconnected else { return #expect(Bool(false)) }
        #expect(values == [2, 3])
        await client.close()
    }
}
