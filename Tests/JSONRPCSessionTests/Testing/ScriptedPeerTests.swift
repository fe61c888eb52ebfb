// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60))) struct ScriptedPeerTests {
    private let peer = ScriptedPeer()
    private let side = RecordingReceiver()
    private let request = #"{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}"#

    /// Connects, and returns the near end.
    private func connect(_ peer: ScriptedPeer) async throws -> any MessageTransport {
        let receiver = HandingReceiver(side: side)
        try await peer.connector.connect(receiver: receiver)
        return try #require(receiver.transport.elements.first)
    }

    @Test func requestIsTakenAndAnswered() async throws {
        let transport = try await connect(peer)
        transport.post(request)
        let call = try await peer.expectRequest("subtract", params: [42, 23])
        #expect(call.id == 1 && call.connection == 1)
        try peer.reply(to: call, result: 19)
        let events = await side.log.wait(count: 2)
        #expect(try JSONValue(parsing: String(events[1].dropFirst(6))) == ["jsonrpc": "2.0", "id": 1, "result": 19])
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
        let messages = events[1...3].map { try? JSONValue(parsing: String($0.dropFirst(6))) }
        #expect(
            messages == [
                ["jsonrpc": "2.0", "id": "a", "error": ["code": 5, "message": "no", "data": [1]]],
                ["jsonrpc": "2.0", "method": "tick", "params": ["n": 1]],
                ["jsonrpc": "2.0", "id": 7, "method": "ask"],
            ])
        #expect(events[4...] == ["lent: not JSON", "given binary: \u{FFFD}"])
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

    @Test func wrongMessageFailsAtOnceAndSaysWhatCame() async throws {
        let transport = try await connect(peer)
        transport.post(request)
        await #expect(
            throws: ScriptFailure(
                expected: #"a request of "add" with params [1]"#, came: "what came was \(request)")
        ) { try await peer.expectRequest("add", params: [1]) }
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
        await #expect(throws: ScriptFailure(expected: "a message", came: "nothing did")) {
            try await peer.expectMessage()
        }
        transport.post(request)
        let patient = try await ScriptFailure.from { try await peer.expectNotification() }
        #expect(patient?.expected == "a notification")
        await #expect(throws: ScriptFailure(expected: "connection 2", came: "there were 1")) {
            try await peer.expectConnection(2)
        }
        await #expect(throws: ScriptFailure.self) { try await peer.expectClosure() }
    }

    @Test func closingEndsWaiting() async throws {
        let transport = try await connect(peer)
        async let waiting = ScriptFailure.from { try await peer.expectMessage() }
        transport.close(code: 1001, reason: "bye", deadline: .seconds(60))
        let failure = try await waiting
        #expect(failure?.came.contains("closed with code 1001") == true)
        let closure = try await peer.expectClosure()
        #expect(closure.initiator == .remote && closure.reason == "bye")
        #expect(throws: ScriptFailure.self) { try peer.notify("late") }
    }

    @Test func peerCanCloseAndDrop() async throws {
        _ = try await connect(peer)
        peer.close(code: 1012, reason: "restart")
        #expect(await side.closed() == "closed remote 1012 restart from 0")
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
        #expect(events[1] == #"lent: {"jsonrpc":"2.0","id":"x y","result":"$unknown"}"#)
        #expect(events[2] == #"lent: {"t":5, "id":"x y"} and more"#)
        #expect(events[3].hasPrefix("closed remote 1000 all done"))
    }

    @Test func nameStandsForOneValueOnly() async throws {
        let transport = try await connect(peer)
        transport.post("[1,1]")
        transport.post("[1,2]")
        try await peer.play(#"--> ["$a","$a"]"#)
        let failure = try await ScriptFailure.from { try await peer.play("\n--> [\"$a\",\"$a\"]") }
        #expect(failure?.line == 2)
        #expect(failure?.came == "what came was [1,2]")
    }

    @Test(arguments: ["--> {", "hello", "close", "close x", "drop it", "<-- "])
    func lineThatMakesNoSenseIsRefused(line: String) async throws {
        let failure = try await ScriptFailure.from { try await ScriptedPeer().play("\n\n" + line) }
        #expect(failure?.line == 3)
    }
}

extension ScriptFailure {
    /// The failure that the closure throws; nil when it throws none.
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

/// Notes its transport, and passes everything on.
private final class HandingReceiver: MessageReceiver {
    let transport = EventLog<any MessageTransport>()
    private let side: RecordingReceiver

    init(side: RecordingReceiver) { self.side = side }

    func transportOpened(_ transport: any MessageTransport) {
        self.transport.record(transport)
        side.transportOpened(transport)
    }

    func messageReceived(_ message: InboundMessage) { side.messageReceived(message) }
    func outboxDrained() { side.outboxDrained() }
    func roundTripMeasured(_ duration: Duration) { side.roundTripMeasured(duration) }
    func transportClosed(_ closure: TransportClosure) { side.transportClosed(closure) }
}
