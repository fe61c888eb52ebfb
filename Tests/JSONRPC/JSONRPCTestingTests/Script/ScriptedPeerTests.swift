// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60))) struct ScriptedPeerTests {
    private let peer = ScriptedPeer()
    private let side = RecordingSide()
    private let request = #"{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}"#

    /// Connects, and returns the near end.
    private func connect(_ peer: ScriptedPeer) async throws -> any MessageTransport {
        try await peer.connector.connect(receiver: side)
        return try #require(side.transport)
    }

    @Test func requestIsTakenAndAnswered() async throws {
        let transport = try await connect(peer)
        transport.post(request)
        let call = try await peer.expectRequest("subtract", params: [42, 23])
        #expect(call.id == 1 && call.connection == 1)
        try peer.reply(to: call, result: 19)
        let events = await side.log.wait(count: 2)
        #expect(try JSONValue(parsing: events[1]) == ["jsonrpc": "2.0", "id": 1, "result": 19])
        #expect(peer.received.map(\.text) == [request])
        try peer.expectNothingMore()
    }

    @Test func errorsAndNotificationsAndRequestsAreSent() async throws {
        _ = try await connect(peer)
        let call = try #require(ReceivedCall(method: "m", id: "a"))
        try peer.reply(to: call, error: ErrorObject(code: 5, message: "no", data: RawJSON(validating: "[1]")))
        try peer.notify("tick", params: ["n": 1])
        try peer.request("ask", id: 7)
        try peer.send("not JSON")
        try peer.send([0xFF], isBinary: true, inFragments: true)
        let events = await side.log.wait(count: 6)
        let messages = events[1...3].map { try? JSONValue(parsing: $0) }
        #expect(
            messages == [
                ["jsonrpc": "2.0", "id": "a", "error": ["code": 5, "message": "no", "data": [1]]],
                ["jsonrpc": "2.0", "method": "tick", "params": ["n": 1]],
                ["jsonrpc": "2.0", "id": 7, "method": "ask"],
            ])
        #expect(events[4...] == ["not JSON", "assembled binary \u{FFFD}"])
    }

    @Test func responseIsTaken() async throws {
        let transport = try await connect(peer)
        transport.post(#"{"jsonrpc":"2.0","id":7,"result":null}"#)
        transport.post(#"{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"m"}}"#)
        #expect(try await peer.expectResponse(to: 7).outcome == .success(.null))
        #expect(try await peer.expectResponse(to: 8).outcome == .failure(ErrorObject(code: 1, message: "m")))
    }

    @Test func batchIsTaken() async throws {
        let transport = try await connect(peer)
        transport.post("[" + request + "," + request + "]")
        #expect(try await peer.expectBatch(count: 2).first?["method"] == "subtract")
    }

    private struct Point: Encodable {
        var x: Int
    }

    @Test func batchIsAnsweredInTwoLines() async throws {
        let transport = try await connect(peer)
        transport.post("[" + request + #",{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"b","method":"m"}]"#)
        let batch = try await peer.expectBatch(of: ["subtract", "n", "m"])
        try peer.reply(to: batch, results: [19, ["hello", 5]])
        #expect(batch.requests.map(\.id) == [1, "b"] && batch.calls.count == 3 && batch.connection == 1)
        try peer.reply(to: batch, results: [Point(x: 1), ErrorObject(code: 5, message: "no")])
        let answers = await side.log.wait(count: 3)[1...].map { try? JSONValue(parsing: $0) }
        #expect(
            answers == [
                [
                    ["jsonrpc": "2.0", "id": 1, "result": 19],
                    ["jsonrpc": "2.0", "id": "b", "result": ["hello", 5]],
                ],
                [
                    ["jsonrpc": "2.0", "id": 1, "result": ["x": 1]],
                    ["jsonrpc": "2.0", "id": "b", "error": ["code": 5, "message": "no"]],
                ],
            ])
        let failure = try await ScriptFailure.from { try peer.reply(to: batch, results: [1]) }
        #expect(failure?.expected == "2 results for as many requests" && failure?.location.line == #line - 1)
    }

    @Test func batchOfOtherMethodsIsAFailure() async throws {
        let transport = try await connect(peer)
        transport.post("[" + request + "]")
        #expect(try await ScriptFailure.from { try await peer.expectBatch(of: ["add"]) } != nil)
    }

    @Test func repliesTakeModelsAndLiterals() async throws {
        _ = try await connect(peer)
        let call = try #require(ReceivedCall(method: "m", id: 1))
        try peer.reply(to: call, result: Point(x: 1))
        try peer.reply(to: call, result: [Point(x: 2)])
        try peer.reply(to: call, result: ["a": [1, "b", nil]])
        try peer.reply(to: call, result: nil)
        let values = [3, 4]
        try peer.reply(to: call, result: values)
        let results = await side.log.wait(count: 6)[1...].map { event in
            try? JSONValue(parsing: event)["result"]
        }
        #expect(results == [["x": 1], [["x": 2]], ["a": [1, "b", nil]], .some(.null), [3, 4]])
    }

    @Test func wrongMessageFailsAtOnceAndSaysWhatCame() async throws {
        let transport = try await connect(peer)
        transport.post(request)
        let failure = try await ScriptFailure.from { try await peer.expectRequest("add", params: [1]) }
        #expect(failure?.expected == #"a request of "add" with params [1]"#)
        #expect(failure?.instead == "received \(request)")
    }

    /// The place has the members that Swift Testing's `SourceLocation` requires.
    @Test func failureNamesThePlaceOfTheCallThatFailed() async throws {
        let peer = ScriptedPeer(patience: .milliseconds(1))
        _ = try await connect(peer)
        let calls: [@Sendable () async throws -> Void] = [
            { try await peer.expectRequest() }, { try await peer.expectNotification() },
            { try await peer.expectResponse(to: 1) }, { try await peer.expectBatch() },
            { try await peer.expectMessage() }, { try await peer.expectConnection(2) },
            { try await peer.expectClosure() }, { try await peer.play("--> 1") },
        ]
        let line = #line - 5
        for (index, call) in calls.enumerated() {
            let failure = try await ScriptFailure.from(call)
            let place = try #require(failure?.location)
            #expect(place.line == line + index / 2)
            #expect(place.fileID == #fileID && place.filePath == #filePath && place.column > 1)
            #expect(failure?.description.hasPrefix("\(#fileID):\(place.line): ") == true)
        }
        let unconnected = ScriptedPeer()
        let failure = try await ScriptFailure.from { try unconnected.notify("m") }
        #expect(failure?.location.line == #line - 1)
    }

    @Test func waitingEndsWithItsTask() async throws {
        let peer = ScriptedPeer(patience: .seconds(1000))
        _ = try await connect(peer)
        let waits: [@Sendable () async throws -> Void] = [
            { try await peer.expectRequest() }, { try await peer.expectConnection(2) },
            { try await peer.expectClosure() }, { try await peer.play("--> 1") },
        ]
        for wait in waits {
            let waiting = Task { try await wait() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await wait()
            }
            await #expect(throws: CancellationError.self) { try await late.value }
        }
    }

    @Test func anyOrderLeavesOthersForLater() async throws {
        let peer = ScriptedPeer(matching: .anyOrder)
        let transport = try await connect(peer)
        transport.post(request)
        transport.post(#"{"jsonrpc":"2.0","method":"n"}"#)
        try await peer.expectNotification("n")
        #expect(peer.untaken.count == 1)
        #expect(throws: ScriptFailure.self) { try peer.expectNothingMore() }
        try await peer.expectRequest("subtract")
    }

    @Test func impatiencePutsAnEndToWaiting() async throws {
        let peer = ScriptedPeer(matching: .anyOrder, patience: .milliseconds(1))
        let transport = try await connect(peer)
        let impatient = try await ScriptFailure.from { try await peer.expectMessage() }
        #expect(impatient?.expected == "a message")
        #expect(impatient?.instead.hasPrefix("no message came within 0.001") == true)
        transport.post(request)
        let patient = try await ScriptFailure.from { try await peer.expectNotification() }
        #expect(patient?.expected == "a notification")
        #expect(try await ScriptFailure.from { try await peer.expectConnection(2) }?.expected == "connection 2")
        await #expect(throws: ScriptFailure.self) { try await peer.expectClosure() }
    }

    @Test func closingEndsWaiting() async throws {
        let transport = try await connect(peer)
        async let waiting = ScriptFailure.from { try await peer.expectMessage() }
        transport.close(code: 1001, reason: "bye", deadline: .seconds(60))
        let failure = try await waiting
        #expect(failure?.instead.contains("closed with code 1001") == true)
        let closure = try await peer.expectClosure()
        #expect(closure.initiator == .remote && closure.reason == "bye")
        #expect(throws: ScriptFailure.self) { try peer.notify("late") }
    }

    @Test func peerCanCloseAndDrop() async throws {
        _ = try await connect(peer)
        peer.close(code: 1012, reason: "restart")
        #expect(await side.closedText() == "closed remote 1012 restart from 0")
        _ = try await connect(peer)
        #expect(peer.connectionCount == 2)
        peer.drop()
        _ = await side.log.first { $0 == "closed failure 1006  from 0" }
        try await peer.expectClosure(2)
    }

    @Test func sayingSomethingNeedsAConnection() {
        #expect(throws: ScriptFailure.self) { try peer.notify("m") }
        #expect(throws: ScriptFailure.self) { try peer.send([], isBinary: true) }
    }

    // MARK: Text scripts

    @Test func textScriptIsPlayed() async throws {
        let transport = try await connect(peer)
        transport.post(#"{"params":[42,23],"method":"subtract","id":"x y","jsonrpc":"2.0"}"#)
        transport.post(#"{"jsonrpc":"2.0","method":"n","params":{"token":5,"at":[1,2]}}"#)
        try await peer.play(
            #"""
            # ids are chosen by the client
            --> {"jsonrpc":"2.0","id":"$id","method":"subtract","params":[42,23]}
            <-- {"jsonrpc":"2.0","id":"$id","result":"$unknown"}

            --> {"jsonrpc":"2.0","method":"n","params":{"token":"$t","at":"$_"}}
            <-- {"t":"$t", "id":"$id"} and more
            close 1000 all done
            """#)
        let events = await side.log.wait(count: 4)
        #expect(events[1] == #"{"jsonrpc":"2.0","id":"x y","result":"$unknown"}"#)
        #expect(events[2] == #"{"t":5, "id":"x y"} and more"#)
        #expect(events[3].hasPrefix("closed remote 1000 all done"))
    }

    @Test func nameStandsForOneValueOnly() async throws {
        let transport = try await connect(peer)
        transport.post("[1,1]")
        transport.post("[1,2]")
        try await peer.play(#"--> ["$a","$a"]"#)
        let failure = try await ScriptFailure.from { try await peer.play("\n--> [\"$a\",\"$a\"]") }
        #expect(failure?.scriptLine == 2)
        #expect(failure?.instead == "received [1,2]")
    }

    @Test(arguments: ["--> {", "hello", "close", "close x", "drop it", "<-- "])
    func lineThatMakesNoSenseIsRefused(line: String) async throws {
        let failure = try await ScriptFailure.from { try await ScriptedPeer().play("\n\n" + line) }
        #expect(failure?.scriptLine == 3)
    }
}

extension ScriptFailure {
    /// The failure that the closure throws; `nil` if it throws none.
    fileprivate static func from<Success>(_ body: () async throws -> Success) async throws -> ScriptFailure? {
        do {
            _ = try await body()
            return nil
        } catch let failure as ScriptFailure {
            return failure
        }
    }
}

extension ReceivedCall {
    fileprivate init?(method: String, id: JSONValue) {
        self.init(["method": .string(method), "id": id], connection: 1)
    }
}
