// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WireJSON

/// A session is recorded, and either side of it is replayed.
@Suite(.inTurn(within: .seconds(100))) struct ReplayTests {
    /// A server in memory that also calls its client and notifies it.
    private static var server: InMemoryConnector {
        InMemoryConnector {
            let session = DuplexSession()
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
            session.handle("fail") { (_: [Int]) throws -> Int in throw ErrorObject(code: 7, message: "no") }
            session.handle("ask") { (_: [Int]) async throws -> String in
                try await session.notify("asking", params: [1])
                return try await session.call("name", params: ["$x"], as: String.self)
            }
            return session.receiver
        }
    }

    /// The program under test: makes calls and answers one.
    private func converse(over connector: some MessageConnector) async throws -> (Int, ErrorObject.Code?, String) {
        let session = DuplexSession()
        session.handle("name") { (_: [String]) in "client" }
        try await connector.connect(receiver: session.receiver)
        let sum = try await session.call("add", params: [1, 2], as: Int.self)
        let error = await #expect(throws: ErrorObject.self) {
            try await session.call("fail", params: [1], as: Int.self)
        }
        let name = try await session.call("ask", params: [1], as: String.self)
        await session.close()
        return (sum, error?.code, name)
    }

    private func recorded(clock: ManualClock = ManualClock()) async throws -> SessionRecording {
        let recorder = SessionRecorder(clock: clock)
        _ = try await converse(over: recorder.connector(over: Self.server))
        #expect(recorder.droppedEventCount == 0)
        return try SessionRecording(parsing: recorder.recording.bytes)
    }

    private func text(_ event: SessionRecording.Event) -> String {
        switch event.kind {
        case .opened: "opened"
        case .sent(let message): "> " + String(decoding: message.bytes, as: UTF8.self)
        case .received(let message): "< " + String(decoding: message.bytes, as: UTF8.self)
        case .withdrawn(let id): "withdrawn \(id)"
        case .closed(let code, let reason, let initiator): "closed \(code) \(reason) \(initiator)"
        }
    }

    @Test func aConnectionIsRecordedInTheOrderOfTheWire() async throws {
        let lines = try await recorded().events.map(text)
        try #require(lines.count == 11)
        #expect(lines[0] == "opened")
        #expect(lines[1] == #"> {"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#)
        #expect(lines[2] == #"< {"jsonrpc":"2.0","id":1,"result":3}"#)
        #expect(lines[5].contains("ask") && lines[6].contains("asking") && lines[7].contains("name"))
        #expect(lines[10] == "closed 1000  local")
    }

    @Test func theServerIsReplayedForAClient() async throws {
        let recording = try await recorded()
        let peer = ScriptedPeer(playing: PeerScript(replaying: recording, as: .server), matching: .anyOrder)
        let (sum, code, name) = try await converse(over: peer.connector)
        #expect(sum == 3 && code == 7 && name == "client")
        try await peer.finishScript()
        try peer.expectNothingMore()
    }

    @Test func idsAreThoseOfTheNewClient() async throws {
        let recording = try await recorded()
        let peer = ScriptedPeer(playing: PeerScript(replaying: recording, as: .server))
        let side = RecordingSide()
        try await peer.connector.connect(receiver: side)
        side.post(#"{"jsonrpc":"2.0","id":"other","method":"add","params":[1,2]}"#)
        #expect(await side.log.wait(count: 2).last == #"{"jsonrpc":"2.0","id":"other","result":3}"#)
        side.post(#"{"jsonrpc":"2.0","id":null,"method":"fail","params":[2]}"#)
        let failure = await #expect(throws: ScriptFailure.self) { try await peer.finishScript() }
        #expect(failure?.scriptLine == 5)
        #expect(failure?.difference == "at $.params[0]: expected 1, received 2")
    }

    @Test(arguments: [PeerScript.ReplayMatching.values, .kinds])
    func theClientIsReplayedAgainstAServer(matching: PeerScript.ReplayMatching) async throws {
        let recording = try await recorded()
        let peer = ScriptedPeer(playing: PeerScript(replaying: recording, as: .client, matching: matching))
        try await Self.server.connect(receiver: peer.receiver)
        try await peer.finishScript()
        #expect(try await peer.expectClosure().initiator == .local)
        try peer.expectNothingMore()
    }

    @Test func theClientIsReplayedOverARealSocket() async throws {
        let recording = try await recorded()
        let listener = try await JSONRPCListener.listen { session in
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) + 1 }
            session.handle("fail") { (_: [Int]) throws -> Int in throw ErrorObject(code: 8, message: "other") }
            session.handle("ask") { (_: [Int]) async throws -> String in
                try await session.notify("asking", params: [2])
                return try await session.call("name", params: ["y"], as: String.self)
            }
        }
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        let connector = WebSocketConnector(to: listener.url, configuration: configuration)
        let peer = ScriptedPeer(playing: PeerScript(replaying: recording, as: .client, matching: .kinds))
        try await connector.connect(receiver: peer.receiver)
        try await peer.finishScript()
        let exact = ScriptedPeer(playing: PeerScript(replaying: recording, as: .client))
        try await connector.connect(receiver: exact.receiver)
        let failure = await #expect(throws: ScriptFailure.self) { try await exact.finishScript() }
        #expect(failure?.difference == "at $.result: expected 3, received 4")
        #expect(failure?.scriptLine == 4)
        await listener.stop()
    }

    /// Replays the server of a recording over a real socket, and returns the end of the connection.
    private func end(
        of recording: SessionRecording, posting text: String
    ) async throws -> (RecordingSide, TransportClosure?) {
        let peer = ScriptedPeer(playing: PeerScript(replaying: recording, as: .server))
        let listener = try await WebSocketListener.listen { _ in peer.receiver }
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        let side = RecordingSide()
        try await WebSocketConnector(to: listener.url, configuration: configuration).connect(receiver: side)
        side.post(text)
        try await peer.finishScript()
        let closure = await side.closed()
        await listener.stop()
        return (side, closure)
    }

    @Test func binaryMessagesAreReplayedOverARealSocket() async throws {
        let recording = SessionRecording(events: [
            .init(.opened, time: .zero), .init(.sent(.init("1")), time: .zero),
            .init(.received(.init(bytes: [0xFF, 0x00], isBinary: true)), time: .zero),
            .init(.received(.init(bytes: Array("[]".utf8), isBinary: true)), time: .zero),
            .init(.closed(code: 1000, reason: "", by: .remote), time: .zero),
        ])
        let (side, closure) = try await end(of: recording, posting: "1")
        #expect(side.messages == ["binary \u{FFFD}\0", "binary []"])
        #expect(closure?.initiator == .remote && closure?.code == 1000)
    }

    /// A client that reconnects after a loss distinguishes the code 1000 from all others.
    @Test(arguments: [1000, 1005, 1006, 1012] as [UInt16])
    func anEndIsReplayedAsItWasOverARealSocket(code: UInt16) async throws {
        let recording = SessionRecording(events: [
            .init(.opened, time: .zero), .init(.sent(.init("1")), time: .zero),
            .init(.received(.init("2")), time: .zero),
            .init(.closed(code: code, reason: "", by: code == 1006 ? .failure : .remote), time: .zero),
        ])
        let (side, closure) = try await end(of: recording, posting: "1")
        #expect(side.messages == ["2"])
        #expect(closure?.initiator == (code == 1006 ? .failure : .remote) && closure?.code == code)
    }

    /// The peer's patience is longer than the time limit of the suite.
    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":7,"result":{"a":[1,2,4]}}"#, "at $.result.a[2]: expected 3, received 4"),
        (#"{"jsonrpc":"2.0","id":7,"result":{"a":[1,2]}}"#, "at $.result.a: expected 3 elements, received 2"),
        (#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}"#, #"at $: expected a member "result""#),
        (#"[{"jsonrpc":"2.0","id":7,"result":1}]"#, nil),
    ])
    func aWrongResponseFailsAtOnce(response: String, difference: String?) async throws {
        let right = #"{"jsonrpc":"2.0","id":7,"result":{"a":[1,2,3]}}"#
        let recording = SessionRecording(events: [
            .init(.opened, time: .zero), .init(.sent(.init(#"{"jsonrpc":"2.0","id":7,"method":"m"}"#)), time: .zero),
            .init(.received(.init(right)), time: .zero),
        ])
        let peer = ScriptedPeer(
            playing: PeerScript(replaying: recording, as: .client), matching: .anyOrder, patience: .seconds(10_000))
        let side = RecordingSide()
        try await InMemoryConnector { side }.connect(receiver: peer.receiver)
        // A notification that was not recorded does not affect the response.
        side.post(#"{"jsonrpc":"2.0","method":"tick"}"#)
        side.post(response)
        let failure = await #expect(throws: ScriptFailure.self) { try await peer.finishScript() }
        #expect(failure?.scriptLine == 4)
        if let difference { #expect(failure?.difference == difference) }
        #expect(failure?.received?.text == response)
    }

    /// A peer may answer twice, and in any order, if the recorded peer did.
    @Test func aResponseThatALaterLineExpectsIsNotWrong() async throws {
        let responses = (1...2).map { #"{"jsonrpc":"2.0","id":7,"result":\#($0)}"# }
        let recording = SessionRecording(
            events: [
                .init(.opened, time: .zero),
                .init(.sent(.init(#"{"jsonrpc":"2.0","id":7,"method":"m"}"#)), time: .zero),
            ] + responses.map { .init(.received(.init($0)), time: .zero) })
        let peer = ScriptedPeer(playing: PeerScript(replaying: recording, as: .client), matching: .anyOrder)
        let side = RecordingSide()
        try await InMemoryConnector { side }.connect(receiver: peer.receiver)
        for response in responses.reversed() { side.post(response) }
        try await peer.finishScript()
    }

    @Test func aFailureShowsLongMessagesInPart() async throws {
        let (old, new) = (String(repeating: "a", count: 2_000_000), String(repeating: "a", count: 1_999_999) + "b")
        func response(_ text: String) -> String { #"{"jsonrpc":"2.0","id":7,"result":{"text":"\#(text)"}}"# }
        let recording = SessionRecording(events: [
            .init(.opened, time: .zero), .init(.received(.init(response(old))), time: .zero),
        ])
        let peer = ScriptedPeer(
            playing: PeerScript(replaying: recording, as: .client), matching: .anyOrder, patience: .seconds(10_000))
        let side = RecordingSide()
        try await InMemoryConnector { side }.connect(receiver: peer.receiver)
        side.post(response(new))
        let failure = try #require(await #expect(throws: ScriptFailure.self) { try await peer.finishScript() })
        #expect(
            failure.difference
                == #"at $.result.text: expected "a", received "b" after 1999999 equal characters"#)
        #expect(failure.description.count < 1000)
        #expect(failure.received?.bytes.count == response(new).utf8.count)
    }

    @Test func aMissingMessageIsComparedWithOneOfTheSameMethod() async throws {
        let recording = SessionRecording(events: [
            .init(.opened, time: .zero),
            .init(.sent(.init(#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#)), time: .zero),
        ])
        let peer = ScriptedPeer(matching: .anyOrder, patience: .seconds(10_000))
        let side = RecordingSide()
        try await peer.connector.connect(receiver: side)
        for _ in 0..<6 { side.post(#"{"jsonrpc":"2.0","id":1,"method":"other"}"#) }
        side.post(#"{"jsonrpc":"2.0","id":2,"method":"add","params":[1,3]}"#)
        side.transport?.close(code: 1000, reason: "", deadline: .seconds(50))
        try await peer.expectClosure()
        let failure = await #expect(throws: ScriptFailure.self) {
            try await peer.play(PeerScript(replaying: recording, as: .server))
        }
        #expect(failure?.difference == "at $.params[1]: expected 2, received 3")
        #expect(failure?.instead.hasSuffix(" and 4 other messages") == true, "\(failure?.instead ?? "")")
    }

    @Test func recordedTimesPassOnTheClock() async throws {
        let clock = ManualClock()
        let recording = SessionRecording(events: [
            .init(.received(.init("1")), time: .seconds(2)), .init(.received(.init("2")), time: .seconds(2)),
            .init(.received(.init(bytes: [0xFF], isBinary: true)), time: .seconds(5)),
        ])
        let script = PeerScript(replaying: recording, as: .server, pace: .recorded)
        let peer = ScriptedPeer(playing: script, clock: clock)
        let side = RecordingSide()
        try await peer.connector.connect(receiver: side)
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        await clock.waitForSleeper(dueIn: .seconds(3))
        #expect(await side.log.wait(count: 3).suffix(2) == ["1", "2"])
        clock.advance(by: .seconds(3))
        #expect(await side.log.wait(count: 4).last == "binary \u{FFFD}")
        try await peer.finishScript()
    }

    @Test func connectionsArrivalsAndEndsAreReplayed() async throws {
        let recording = SessionRecording(events: [
            .init(.opened, time: .zero), .init(.sent(.init("not JSON")), time: .zero),
            .init(.closed(code: 1012, reason: "restart", by: .remote), time: .zero),
            .init(.opened, time: .zero, connection: 2), .init(.sent(.init("1")), time: .zero, connection: 2),
            .init(.closed(code: 1006, reason: "", by: .failure), time: .zero, connection: 2),
        ])
        let peer = ScriptedPeer(playing: PeerScript(replaying: recording, as: .server))
        let (first, second) = (RecordingSide(), RecordingSide())
        try await peer.connector.connect(receiver: first)
        first.post("not JSON")
        #expect(await first.closed()?.reason == "restart")
        try await peer.connector.connect(receiver: second)
        second.post("1")
        #expect(await second.closed()?.initiator == .failure)
        try await peer.finishScript()
    }

    @Test func withdrawnRequestsAreLeftOut() async throws {
        let recorder = SessionRecorder()
        let (near, far) = InMemoryTransport.pair()
        let session = DuplexSession()
        let peer = ScriptedPeer()
        await far.open(receiver: peer.receiver)
        await near.open(receiver: recorder.receiver(for: session.receiver))
        near.holdOutbox()
        let call = Task { try await session.call("a", as: Int.self, timeout: .none) }
        try await near.waitForOutbox { $0 > 0 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        near.releaseOutbox()
        try await session.notify("b")
        try await peer.expectNotification("b")
        await session.close()
        let lines = recorder.recording.events.map(text)
        #expect(lines.contains("withdrawn 1"))
        let replay = ScriptedPeer(playing: PeerScript(replaying: recorder.recording, as: .server))
        let side = RecordingSide()
        try await replay.connector.connect(receiver: side)
        side.post(#"{"jsonrpc":"2.0","method":"b"}"#)
        try await replay.finishScript()
    }

    @Test func aTraceIsRecorded() async throws {
        let recorder = SessionRecorder()
        var configuration = SessionConfiguration()
        configuration.diagnostics.trace = recorder.record
        let session = DuplexSession(configuration: configuration)
        try await Self.server.connect(receiver: session.receiver)
        #expect(try await session.call("add", params: [1, 2], as: Int.self) == 3)
        await session.close()
        let events = recorder.takeEvents()
        #expect(events.map(text).prefix(2).map { $0.prefix(2) } == ["> ", "< "])
        #expect(recorder.recording.events.isEmpty)
        #expect(events[0].time <= events[1].time)
    }

    @Test func aRecorderIsBounded() async throws {
        let recorder = SessionRecorder(maximumBytes: 1000)
        let session = DuplexSession()
        try await recorder.connector(over: Self.server).connect(receiver: session.receiver)
        for _ in 0..<20 { #expect(try await session.call("add", params: [1, 2], as: Int.self) == 3) }
        await session.close()
        let kept = recorder.recording.events.count
        #expect(kept > 3 && kept < 20)
        #expect(kept + recorder.droppedEventCount == 42)
    }
}
