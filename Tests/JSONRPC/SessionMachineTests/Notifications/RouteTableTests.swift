// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn) struct RouteTableTests {
    private typealias Table = RouteTable<String>

    private static func notification(_ params: String, method: String) throws -> InboundNotification {
        InboundNotification(method: method, params: try RawJSON(validating: params))
    }

    /// Passes a notification to the table. Returns each queue that gets it, with the params that it gets.
    private func receivers(_ table: inout Table, _ params: String, method: String = "n") throws -> [String] {
        let notification = try Self.notification(params, method: method)
        let messages = NotificationMessages(notification, table.forms(of: method))
        return receivers(table.routed(notification, messages, now: .zero), notification)
    }

    private func receivers(_ routing: Table.Routing, _ notification: InboundNotification) -> [String] {
        func text(_ params: RawJSON?) -> String { params?.text ?? "none" }
        var receivers: [String] = []
        for delivery in routing.deliveries {
            receivers += delivery.queues.map { "\($0) \(text(delivery.message.notification.params))" }
        }
        return receivers + routing.streams.map { "\($0) \(text(notification.params))" }
    }

    private func reception(_ table: inout Table, _ params: String, method: String = "n") throws -> NotificationReception
    {
        let notification = try Self.notification(params, method: method)
        let messages = NotificationMessages(notification, table.forms(of: method))
        return table.routed(notification, messages, now: .zero).reception
    }

    private func subscribe(
        _ table: inout Table, _ queue: String, id: String, style: SubscriptionStyle = .ethereum
    ) throws {
        let request = SubscriptionRequest("s", unsubscribe: "u", style: style)
        let key = table.subscriptions.joined(request, queue, isShared: false, isRenewed: false).key
        let session = table.subscriptions.requestBegan(key)
        let id = SubscriptionID(try RawJSON(validating: id))
        _ = table.subscriptions.answered(key, in: session, id: id, now: .zero)
    }

    private func call(_ table: inout Table, _ queue: String, _ style: ProgressStyle) -> String {
        let token = table.calls.add(style, queue, now: .zero)
        _ = table.calls.open(token, now: .zero)
        return token
    }

    // MARK: Receivers

    @Test func aCallASubscriptionAndStreamsGetTheirPartsOfOneNotification() throws {
        var table = Table()
        table.subscriptions.sessionBegan()
        _ = table.addStream(of: nil, "all")
        _ = table.addStream(of: "$/progress", "stream")
        _ = table.addStream(of: "other", "other")
        try subscribe(&table, "subscription", id: "7")
        let token = call(&table, "call", .workDone)
        let params = #"{"token":"\#(token)","value":1,"subscription":7,"result":2}"#
        #expect(
            try receivers(&table, params, method: "$/progress")
                == ["call 1", "subscription 2", "stream \(params)", "all \(params)"])
    }

    @Test func aRemovedStreamGetsNothing() throws {
        var table = Table()
        let first = table.addStream(of: "n", "first")
        _ = table.addStream(of: "n", "second")
        #expect(try receivers(&table, "[1]") == ["first [1]", "second [1]"])
        table.removeStream(first, of: "n")
        #expect(try receivers(&table, "[2]") == ["second [2]"])
        _ = table.addStream(of: nil, "all")
        #expect(try receivers(&table, "[3]") == ["second [3]", "all [3]"])
        #expect(table.streamQueues.count == 2)
    }

    @Test func anUnknownIDIsReportedUnlessAStreamGetsTheNotification() throws {
        var table = Table()
        table.subscriptions.sessionBegan()
        try subscribe(&table, "subscription", id: "7")
        let id = try #require(SubscriptionID(try RawJSON(validating: "8")))
        #expect(try reception(&table, #"{"subscription":8,"result":1}"#) == .unknown(id))
        #expect(try reception(&table, #"{"subscription":7,"result":1}"#) == .taken)
        #expect(try reception(&table, "[8]") == .unclaimed)
        _ = table.addStream(of: "n", "stream")
        #expect(try reception(&table, #"{"subscription":8,"result":1}"#) == .taken)
        #expect(table.subscriptions.unknown == 2)
    }

    // MARK: Streaming calls

    @Test func progressReachesAnOpenCallOnly() throws {
        var table = Table()
        let token = table.calls.add(.workDone, "call", now: .zero)
        let params = #"{"token":"\#(token)","value":1}"#
        #expect(try receivers(&table, params, method: "$/progress") == [])
        _ = table.calls.open(token, now: .zero)
        #expect(try receivers(&table, params, method: "$/progress") == ["call 1"])
        #expect(try receivers(&table, params, method: "other") == [])
        table.calls.close(token, now: .zero)
        #expect(try receivers(&table, params, method: "$/progress") == [])
    }

    @Test func aTokenIsValidInTheFormOfItsCallOnly() throws {
        var table = Table()
        let first = call(&table, "first", ProgressStyle(notification: "n", token: "t", requestedBy: "x"))
        let second = call(&table, "second", ProgressStyle(notification: "n", value: nil, requestedBy: "x"))
        #expect(try receivers(&table, #"{"token":"\#(first)","value":1}"#) == [])
        #expect(try receivers(&table, #"{"t":"\#(second)","value":1}"#) == [])
        #expect(try receivers(&table, #"{"t":"\#(first)","value":1}"#) == ["first 1"])
        let params = #"{"token":"\#(second)","value":1}"#
        #expect(try receivers(&table, params) == ["second \(params)"])
    }

    @Test func aCallThatIsOpenedAgainKnowsWhetherItMadeProgress() throws {
        var table = Table()
        let token = call(&table, "call", .workDone)
        var repetitions = [table.calls.open(token, now: .zero)]
        _ = try receivers(&table, #"{"token":"\#(token)","value":1}"#, method: "$/progress")
        table.calls.close(token, now: .zero)
        for _ in 0..<2 { repetitions.append(table.calls.open(token, now: .zero)) }
        #expect(repetitions == [false, true, false])
    }

    @Test func formsAreReadAsLongAsACallHasThem() {
        var table = Table()
        let calls = [call(&table, "1", .workDone), call(&table, "2", .partialResult), call(&table, "3", .modelContext)]
        // Both styles of the Language Server Protocol have one form.
        #expect(table.forms(of: "$/progress").calls == [.members(token: "token", payload: "value")])
        table.calls.remove(calls[0])
        #expect(table.forms(of: "$/progress").calls.count == 1)
        table.calls.remove(calls[1])
        #expect(table.forms(of: "$/progress").calls.isEmpty)
        #expect(table.forms(of: "notifications/progress").calls.count == 1)
        table.calls.remove(calls[2])
        #expect(table.calls.count == 0 && table.forms(of: "notifications/progress").calls.isEmpty)
    }

    // MARK: The short way

    /// The most frequent notifications use a fast path through the table. It must give the same queues.
    @Test(arguments: 0..<40) func theShortWayLeadsToTheSameQueues(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let methods = ["n", "m", "s"]
        let streams: [String?] = ["n", "m", "s", nil]
        let styles = [SubscriptionStyle.ethereum, .jsonrpsee, .ethereum(notification: "n"), .methodName("n")]
        var table = Table()
        table.subscriptions.sessionBegan()
        var (short, long) = (0, 0)
        for step in 0..<200 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: _ = table.addStream(of: streams[Int.random(in: 0..<4, using: &random)], "stream\(step)")
            case 1:
                let id = "\(Int.random(in: 0..<6, using: &random))"
                let style = styles.randomElement(using: &random) ?? .ethereum
                try subscribe(&table, "subscription\(step)", id: id, style: style)
            default:
                let (id, method) = (Int.random(in: 0..<8, using: &random), methods.randomElement(using: &random) ?? "n")
                let member = Int.random(in: 0..<8, using: &random) == 0 ? "error" : "result"
                let params = Bool.random(using: &random) ? #"{"subscription":\#(id),"\#(member)":1}"# : "[\(id)]"
                let notification = try Self.notification(params, method: method)
                let messages = NotificationMessages(notification, table.forms(of: method))
                var copy = table
                let value = messages.onlyValue
                let atOnce = value.flatMap { copy.routedAtOnce($0.route, method: method) }
                let routing = table.routed(notification, messages, now: .zero)
                if messages.isEmpty {
                    #expect(routing.deliveries.isEmpty && routing.streams == copy.streams(of: method))
                    #expect(routing.reception == (routing.streams.isEmpty ? .unclaimed : .taken))
                }
                guard let atOnce else {
                    long += 1
                    continue
                }
                short += 1
                #expect(atOnce.consumers == routing.deliveries.flatMap(\.queues))
                #expect(value == routing.deliveries.first?.message && routing.deliveries.count == 1)
                #expect(atOnce.streams == routing.streams)
                #expect(routing.reception == .taken)
            }
        }
        #expect(short > 0 && long > 0)
    }
}
