// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

private typealias Numbers = StreamingCall<[Int], [Int]>

@Suite(.inTurn(within: .seconds(60))) struct StreamingCallTests {
    private struct Position: Codable, Equatable, Sendable { var line: Int }

    private func find(
        _ endpoint: some JSONRPCEndpoint, overflow: NotificationOverflow = .standard,
        idleTimeout: Duration? = nil, options: CallOptions = CallOptions()
    ) throws -> Numbers {
        try endpoint.streamingCall(
            "find", params: Position(line: 4), style: .partialResult, overflow: overflow, idleTimeout: idleTimeout,
            options: options)
    }

    private func publish(_ value: JSONValue, _ token: JSONValue, _ peer: ScriptedPeer) throws {
        try peer.notify("$/progress", params: ["token": token, "value": value])
    }

    // MARK: Forms

    @Test func partialResultsComeBeforeTheResult() async throws {
        let wire = await Wire()
        let call = try find(wire.session)
        let request = try await wire.peer.expectRequest(
            "find", params: ["line": 4, "partialResultToken": JSONValue(call.token)])
        try publish([1, 2], JSONValue(call.token), wire.peer)
        try publish([3], JSONValue(call.token), wire.peer)
        try wire.peer.reply(to: request, result: [4])
        try await wire.roundTrip()
        // Everything has arrived before the loop begins. The order is that of the wire.
        var elements: [Numbers.Element] = []
        for try await element in call { elements.append(element) }
        #expect(elements == [.progress([1, 2]), .progress([3]), .result([4])])
        #expect(try await call.result == [4])
        #expect(wire.session.driver.endpoint.notifications.state.withLock { $0.table.calls.count } == 0)
    }

    @Test func modelContextProgressIsTheWholeParams() async throws {
        struct Step: Decodable, Equatable, Sendable {
            var progress: Double
            var message: String?
        }
        let wire = await Wire()
        let call: StreamingCall<Step, String> = try wire.session.streamingCall(
            "tools/call", params: ["name": "count", "_meta": ["trace": 1]], style: .modelContext)
        let request = try await wire.peer.expectRequest(
            "tools/call", params: ["name": "count", "_meta": ["trace": 1, "progressToken": JSONValue(call.token)]])
        for progress in 1...2 {
            try wire.peer.notify(
                "notifications/progress",
                params: ["progressToken": JSONValue(call.token), "progress": JSONValue(progress), "message": "on"])
        }
        try wire.peer.reply(to: request, result: "done")
        var steps: [Step] = []
        let result = try await call.result { steps.append($0) }
        #expect(result == "done")
        #expect(steps == [Step(progress: 1, message: "on"), Step(progress: 2, message: "on")])
    }

    @Test func aCallWithoutParamsGetsParamsForItsToken() async throws {
        let wire = await Wire()
        let call: StreamingCall<JSONValue, Int> = try wire.session.streamingCall("work", style: .workDone)
        let request = try await wire.peer.expectRequest("work", params: ["workDoneToken": JSONValue(call.token)])
        try wire.peer.reply(to: request, result: 1)
        #expect(try await call.result == 1)
    }

    @Test func aStyleOfClosuresIsPossible() async throws {
        // The token is the last element of the params, and the notifications are arrays.
        let style = ProgressStyle.custom(notification: "chunk") { token, params in
            let elements = try params?.decode(as: [JSONValue].self) ?? []
            return try RawJSON(encoding: elements + [JSONValue(token)])
        } _: { notification in
            guard let params = try? notification.params?.decode(as: [RawJSON].self), params.count == 2,
                let token = try? params[0].decode(as: String.self)
            else { return nil }
            return ProgressStyle.Message(token: token, payload: params[1])
        }
        let wire = await Wire()
        let call: StreamingCall<Int, Int> = try wire.session.streamingCall("sum", params: [1, 2], style: style)
        let request = try await wire.peer.expectRequest("sum", params: [1, 2, JSONValue(call.token)])
        try wire.peer.notify("chunk", params: ["no token", 5])
        try wire.peer.notify("chunk", params: [JSONValue(call.token), 1])
        try wire.peer.notify("chunk", params: ["neither", "form", 5])
        try wire.peer.reply(to: request, result: 3)
        var chunks: [Int] = []
        #expect(try await call.result { chunks.append($0) } == 3)
        #expect(chunks == [1])
    }

    @Test func callsInFlightTogetherKeepTheirProgressApart() async throws {
        let wire = await Wire(matching: .anyOrder)
        let calls = try (0..<10).map { _ in try find(wire.session) }
        #expect(Set(calls.map(\.token)).count == 10)
        var requests: [ReceivedCall] = []
        for _ in calls { requests.append(try await wire.peer.expectRequest("find")) }
        for step in 0..<3 {
            for (number, call) in calls.enumerated().reversed() {
                try publish([JSONValue(number), JSONValue(step)], JSONValue(call.token), wire.peer)
            }
        }
        for request in requests { try wire.peer.reply(to: request, result: []) }
        for (number, call) in calls.enumerated() {
            var progress: [[Int]] = []
            #expect(try await call.result { progress.append($0) } == [])
            #expect(progress == [[number, 0], [number, 1], [number, 2]])
        }
    }

    // MARK: Bad input

    @Test func progressOfNoCallIsANotificationLikeOthers() async throws {
        let wire = await Wire()
        let call = try find(wire.session)
        let request = try await wire.peer.expectRequest("find")
        var events = wire.session.events.makeAsyncIterator()
        let streamed = wire.session.notifications("$/progress", as: JSONValue.self)
        let foreign: [JSONValue] = [
            ["token": "theirs", "value": 1], ["token": 1, "value": 1], ["value": 1], [JSONValue(call.token)],
            ["token": ["a": 1], "value": 2], [:],
        ]
        for params in foreign { try wire.peer.notify("$/progress", params: params) }
        try wire.peer.notify("$/progress")
        try wire.peer.reply(to: request, result: [1])
        // After the response.
        try publish([9], JSONValue(call.token), wire.peer)
        try await wire.roundTrip()
        var elements: [Numbers.Element] = []
        for try await element in call { elements.append(element) }
        #expect(elements == [.result([1])])
        var taken: [JSONValue?] = []
        var iterator = streamed.makeAsyncIterator()
        for _ in 0..<(foreign.count + 2) { taken.append(try await iterator.next()?.value) }
        #expect(taken.prefix(foreign.count) == foreign.map { $0 }[...])
        #expect(taken.last == ["token": JSONValue(call.token), "value": [9]])
        withExtendedLifetime(streamed) {}

        // Nothing reads this one.
        withExtendedLifetime(iterator) {}
        await wire.session.close()
        var unhandled = 0
        while let event = await events.next() { if case .unhandledNotification = event { unhandled += 1 } }
        #expect(unhandled == 0)
    }

    @Test func lateProgressThatNobodyReadsIsAnEvent() async throws {
        let wire = await Wire()
        let events = wire.session.events
        let call = try find(wire.session)
        try wire.peer.reply(to: try await wire.peer.expectRequest("find"), result: [])
        try publish([9], JSONValue(call.token), wire.peer)
        #expect(try await call.result == [])
        for await event in events {
            guard case .unhandledNotification("$/progress", let params) = event else { continue }
            #expect(params?.text.contains(call.token) == true)
            return
        }
        Issue.record("no event")
    }

    @Test func undecodableProgressFailsTheLoopAndCancelsTheCall() async throws {
        let wire = await Wire()
        let call = try find(wire.session)
        let request = try await wire.peer.expectRequest("find")
        try publish("no array", JSONValue(call.token), wire.peer)
        await #expect(throws: DecodingError.self) { try await call.result { _ in } }
        try await wire.peer.expectNotification("$/cancelRequest", params: ["id": try #require(request.id)])
    }

    @Test func paramsThatCannotHoldATokenAreRefused() async throws {
        let wire = await Wire()
        for (params, text) in [
            (JSONValue.array([1]), "must be a member of an object"),
            (["partialResultToken": "mine"], "already have the member `partialResultToken`"),
        ] {
            let error = try #require(
                throws: ClientError.self,
                performing: {
                    let _: Numbers = try wire.session.streamingCall("find", params: params, style: .partialResult)
                })
            #expect(error.code == .encodingFailed && error.method == "find" && error.delivery == .notSent)
            #expect(error.message.contains(text), "\(error.message)")
        }
        #expect(throws: ClientError.self) {
            let _: Numbers = try wire.session.streamingCall("find", params: ["_meta": 1], style: .modelContext)
        }
        #expect(wire.session.driver.endpoint.notifications.state.withLock { $0.table.calls.count } == 0)
        #expect(wire.session.callCounts.issued == 0)
    }

    @Test func anErrorComesAfterTheProgressBeforeIt() async throws {
        let wire = await Wire()
        let call = try find(wire.session)
        let request = try await wire.peer.expectRequest("find")
        try publish([1], JSONValue(call.token), wire.peer)
        try wire.peer.reply(to: request, error: ErrorObject(code: -32000, message: "no"))
        var progress: [[Int]] = []
        await #expect(throws: ErrorObject.self) { try await call.result { progress.append($0) } }
        #expect(progress == [[1]])
    }

    @Test func overflowLeavesAGapWithItsCount() async throws {
        let wire = await Wire()
        let call = try find(wire.session, overflow: .dropOldest(capacity: 2))
        let request = try await wire.peer.expectRequest("find")
        for number in 1...5 { try publish([JSONValue(number)], JSONValue(call.token), wire.peer) }
        try wire.peer.reply(to: request, result: [])
        try await wire.roundTrip()
        var elements: [Numbers.Element] = []
        for try await element in call { elements.append(element) }
        #expect(
            elements == [
                .gap(NotificationGap(reason: .overflow, count: 3)), .progress([4]), .progress([5]), .result([]),
            ])
    }
}
