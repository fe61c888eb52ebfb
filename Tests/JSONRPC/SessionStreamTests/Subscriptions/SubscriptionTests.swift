// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60))) struct SubscriptionTests {
    private struct Header: Decodable, Equatable, Sendable { var number: Int }

    // MARK: Styles

    @Test func ethereumsFormIsTheDefault() async throws {
        let wire = await Wire()
        async let subscribing = wire.session.subscribe(
            "eth_subscribe", params: ["newHeads"], unsubscribe: "eth_unsubscribe", as: Header.self)
        let request = try await wire.peer.confirm("0x9cef")
        #expect(request.params == ["newHeads"])
        let heads = try await subscribing
        #expect(heads.id?.json.text == #""0x9cef""#)
        for number in 1...3 { try wire.peer.publish("0x9cef", ["number": JSONValue(number)]) }
        #expect(try await heads.take(3).map(\.value?.number) == [1, 2, 3])

        async let ended: Void = heads.unsubscribe()
        try await wire.peer.confirmEnd("0x9cef")
        await ended
        #expect(heads.id == nil)
        #expect(try await heads.take(1).isEmpty)
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }

    @Test func notificationsAreFoundByTheirMethod() async throws {
        let wire = await Wire()
        async let subscribing = wire.session.subscribe(
            "ticks", params: ["every": 1], unsubscribe: "untick", style: .methodName("tick"),
            overflow: .dropOldest(capacity: 100), as: [Int].self)
        // The result is not an id.
        try await wire.peer.confirm(.null, "ticks")
        let ticks = try await subscribing
        try wire.peer.notify("tock", params: [0])
        try wire.peer.notify("tick", params: [1])
        try wire.peer.notify("tick", params: [2])
        #expect(try await ticks.values.prefix(2).reduce(into: []) { $0 += $1 } == [1, 2])
        async let ended: Void = ticks.unsubscribe()
        // There is no id, so the params are those of the subscribe request.
        try wire.peer.reply(to: try await wire.peer.expectRequest("untick", params: ["every": 1]), result: true)
        await ended
    }

    @Test func theParamsOfTheUnsubscribeRequestCanBeChosen() async throws {
        let wire = await Wire()
        var style = SubscriptionStyle.ethereum
        style.unsubscribeParams = .id(named: "subscription")
        let numbers = try await wire.numbers(7, style: style)
        async let ended: Void = numbers.unsubscribe()
        let request = try await wire.peer.expectRequest("eth_unsubscribe", params: ["subscription": 7])
        try wire.peer.reply(to: request, result: true)
        await ended
    }

    @Test func aNamedNotificationSeparatesEqualIDs() async throws {
        let wire = await Wire()
        let left = try await wire.numbers(1, style: .ethereum(notification: "left"))
        let right = try await wire.numbers(1, style: .ethereum(notification: "right"))
        try wire.peer.publish(1, 10, "left")
        try wire.peer.publish(1, 20, "right")
        #expect(try await left.take(1) == [.value(10)])
        #expect(try await right.take(1) == [.value(20)])
    }

    @Test func aCustomStyleReadsIDsAndEnds() async throws {
        // {"stream": id, "data": value} or {"stream": id, "done": true}
        struct Message: Decodable {
            var stream: RawJSON
            var data: RawJSON?
            var done: Bool?
        }
        let style = SubscriptionStyle.custom(notification: "event") { notification in
            guard let message = try? notification.params?.decode(as: Message.self),
                let id = SubscriptionID(message.stream)
            else { return nil }
            return SubscriptionStyle.Message(
                id: id, payload: message.data, kind: message.done == true ? .completed : .value)
        }
        let wire = await Wire()
        let first = try await wire.numbers("a", style: style)
        let second = try await wire.numbers("b", style: style)
        try wire.peer.notify("event", params: ["stream": "b", "data": 2])
        try wire.peer.notify("event", params: ["stream": "a", "data": 1])
        try wire.peer.notify("event", params: ["stream": "a", "done": true])
        #expect(try await first.take(9) == [.value(1)])
        #expect(try await second.take(1) == [.value(2)])
        #expect(wire.session.subscriptionCounts.active == 1)
    }

    @Test func anErrorFromThePeerEndsTheStreamAfterItsValues() async throws {
        let wire = await Wire()
        let numbers = try await wire.numbers(4_503_599_627_370_497, style: .jsonrpsee)
        try wire.peer.publish(4_503_599_627_370_497, 1, "eth_subscribe")
        try wire.peer.notify("eth_subscribe", params: ["subscription": 4_503_599_627_370_497, "error": "too slow"])
        var iterator = numbers.makeAsyncIterator()
        #expect(try await iterator.next() == .value(1))
        await #expect(throws: SubscriptionError.endedByPeer(try RawJSON(validating: #""too slow""#))) {
            try await iterator.next()
        }
        #expect(try await iterator.next() == nil)
        // The peer has ended it, so no request is sent.
        await numbers.unsubscribe()
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
    }

    // MARK: Ids

    @Test func aNumberAndAStringAreDifferentIDs() async throws {
        let wire = await Wire()
        let number = try await wire.numbers(1)
        let string = try await wire.numbers("1")
        try wire.peer.publish("1", 10)
        try wire.peer.publish(1, 20)
        #expect(try await number.take(1) == [.value(20)])
        #expect(try await string.take(1) == [.value(10)])
        async let end: Void = string.unsubscribe()
        try await wire.peer.confirmEnd("1")
        await end
        async let otherEnd: Void = number.unsubscribe()
        try await wire.peer.confirmEnd(1)
        await otherEnd
    }

    @Test func aServerMayMixNumbersAndStringsOfOneID() async throws {
        let wire = await Wire()
        let numbers = try await wire.numbers(7)
        try wire.peer.publish("7", 1)
        #expect(try await numbers.take(1) == [.value(1)])
        async let end: Void = numbers.unsubscribe()
        try await wire.peer.confirmEnd(7)
        await end
    }

    @Test func idsOfAnySizeAreSentBackUnchanged() async throws {
        let wire = await Wire()
        async let subscribing = wire.session.numbers()
        let request = try await wire.peer.expectRequest("eth_subscribe")
        let id = try #require(request.id)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":18446744073709551615}"#)
        let numbers = try await subscribing
        try wire.peer.send(
            #"{"jsonrpc":"2.0","method":"n","params":{"subscription":18446744073709551615,"result":5}}"#)
        #expect(try await numbers.take(1) == [.value(5)])
        async let end: Void = numbers.unsubscribe()
        let message = try await wire.peer.expectMessage()
        #expect(message.text.contains(#""params":[18446744073709551615]"#))
        wire.peer.drop()
        await end
    }

    // MARK: Unknown and closed subscriptions

    @Test func aNotificationOfNoSubscriptionIsReported() async throws {
        let wire = await Wire()
        let events = wire.session.events
        let numbers = try await wire.numbers()
        try wire.peer.publish("0x2", 1)
        try wire.peer.publish("0x1", 2)
        #expect(try await numbers.take(1) == [.value(2)])
        let event = await events.nextOfSubscriptions()
        #expect(
            event?.description
                == #"The notification "eth_subscription" has the id "0x2" of no subscription."#)
        #expect(wire.session.subscriptionCounts.unknownNotifications == 1)
    }

    @Test func aNotificationThatNobodyClaimsIsReportedAfterTheResponse() async throws {
        let wire = await Wire()
        let events = wire.session.events
        async let subscribing = wire.session.numbers()
        let request = try await wire.peer.expectRequest("eth_subscribe")
        try wire.peer.publish("0xbad", 1)
        try wire.peer.reply(to: request, result: "0x1")
        _ = try await subscribing
        guard case .unknownID(_, let id) = await events.nextOfSubscriptions() else { return #expect(Bool(false)) }
        #expect(id.json.text == #""0xbad""#)
    }

    @Test func lateNotificationsAreCountedAndNotReported() async throws {
        let wire = await Wire()
        let events = wire.session.events
        for style in [SubscriptionStyle.ethereum, .methodName("eth_subscription")] {
            let numbers = try await wire.numbers("0x1", style: style)
            async let end: Void = numbers.unsubscribe()
            let request = try await wire.peer.expectRequest("eth_unsubscribe")
            try wire.peer.publish("0x1", 1)
            try wire.peer.reply(to: request, result: true)
            await end
        }
        #expect(wire.session.subscriptionCounts.lateNotifications >= 2)
        #expect(wire.session.subscriptionCounts.unknownNotifications == 0)
        await wire.session.close()
        for await event in events {
            switch event {
            case .subscription, .unhandledNotification: Issue.record("\(event)")
            default: continue
            }
        }
    }

    @Test func streamsAndHandlersGetTheNotificationsToo() async throws {
        let wire = await Wire()
        let raw = wire.session.notifications("eth_subscription", as: JSONValue.self)
        let numbers = try await wire.numbers()
        try wire.peer.publish("0x1", 1)
        #expect(try await numbers.take(1) == [.value(1)])
        let other = try await raw.values.first { _ in true }
        #expect(other?["result"] == 1)
    }

    @Test func otherParamsAreNoNotificationsOfSubscriptions() async throws {
        let wire = await Wire()
        let events = wire.session.events
        let numbers = try await wire.numbers()
        let strange = [
            #"[1]"#, #"{"subscription":null,"result":1}"#, #"{"subscription":"0x1"}"#, #"{"result":1}"#,
            #"{"subscription":{"a":1},"result":1}"#, #"{"subscription":1.5,"result":1}"#,
            #"{"subscription":"\ud800","result":1}"#, #"{"subscription":-,"result":1}"#,
        ]
        for params in strange { try wire.peer.send(#"{"jsonrpc":"2.0","method":"s","params":\#(params)}"#) }
        try wire.peer.publish("0x1", 1)
        #expect(try await numbers.take(1) == [.value(1)])
        await wire.session.close()
        let reported = await events.reduce(into: 0) { count, event in
            switch event {
            case .unhandledNotification, .irregularMessage: count += 1
            default: break
            }
        }
        #expect(reported == strange.count)
    }

    @Test func aValueThatCannotBeDecodedFailsOrIsReported() async throws {
        let wire = await Wire()
        let failing = try await wire.numbers("0x1")
        async let subscribing = wire.session.subscribe(
            "eth_subscribe", unsubscribe: "eth_unsubscribe", decoding: .report, as: Int.self)
        try await wire.peer.confirm("0x2")
        let reporting = try await subscribing
        for id: JSONValue in ["0x1", "0x2"] {
            try wire.peer.publish(id, "text")
            try wire.peer.publish(id, 2)
        }
        await #expect(throws: DecodingError.self) { try await failing.take(2) }
        let elements = try await reporting.take(2)
        guard case .gap(let gap)? = elements.first, case .undecodable(let notification, _) = gap.reason else {
            return #expect(Bool(false))
        }
        #expect(notification.params?.text == #""text""#)
        #expect(elements.last == .value(2))
    }

    // MARK: Order

    @Test func manySubscriptionsKeepTheOrderOfTheWire() async throws {
        let wire = await Wire(matching: .anyOrder)
        var subscriptions: [Subscription<Int>] = []
        for index in 0..<50 { subscriptions.append(try await wire.numbers(JSONValue(index))) }
        for value in 0..<100 {
            for index in 0..<50 { try wire.peer.publish(JSONValue(index), JSONValue(value)) }
        }
        for subscription in subscriptions {
            #expect(try await subscription.take(100).map(\.value) == (0..<100).map { $0 })
        }
    }
}
