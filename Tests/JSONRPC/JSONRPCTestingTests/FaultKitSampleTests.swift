// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCTesting
import JSONRPCWebSocket
import TestTurns
import Testing
import WireJSON

/// The samples of the article "Testing your client".
@Suite(.inTurn(within: .seconds(100))) struct FaultKitSampleTests {
    @Test func aScript() async throws {
        let clock = ManualClock()
        let peer = try ScriptedPeer(
            script: """
                --> {"method":"subscribe","params":["ticks"]}
                <-- {"result":"0x1"}
                <-- {"method":"tick","params":{"subscription":"0x1","result":1}}
                wait 5s
                close 1012 "restart"
                """, clock: clock)
        let session = DuplexSession()
        let ticks = session.notifications("tick", as: JSONValue.self)
        try await peer.connector.connect(receiver: session.receiver)
        #expect(try await session.call("subscribe", params: ["ticks"], as: String.self) == "0x1")
        var iterator = ticks.makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        try await clock.expectSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        try await peer.finishScript()
        await session.close()
    }

    @Test func aScriptThatFails() async throws {
        let peer = try ScriptedPeer(script: #"--> {"method":"subscribe","params":["ticks"]}"#)
        let client = JSONRPCClient(connector: peer.connector)
        try await client.connect()
        await #expect(throws: ClientError.self) {
            try await client.call("subscribe", params: ["blocks"], as: String.self)
        }
        let failure = await #expect(throws: ScriptFailure.self) { try await peer.finishScript() }
        #expect(
            failure?.description.hasSuffix(
                #"""
                : line 1 of the script: expected {"method":"subscribe","params":["ticks"]}, but received {"jsonrpc":"2.0","id":1,"method":"subscribe","params":["blocks"]} (at $.params[0]: expected "ticks", received "blocks").
                """#) == true)
        await client.close()
    }

    @Test func faults() async throws {
        let peer = ScriptedPeer()
        let faults = FaultInjector(
            seed: 42,
            rules: [
                FaultRule(.drop, .inbound, message: 3),
                FaultRule(.kill(.afterWriting), .outbound, message: 10, connection: 2),
                FaultRule(.delay(.milliseconds(1)...(.milliseconds(20))), probability: 0.1),
            ])
        let client = JSONRPCClient(connector: faults.connector(over: peer.connector))
        try await client.connect()
        async let sum = client.call("add", params: [1, 2], as: Int.self)
        try peer.reply(to: try await peer.expectRequest("add"), result: 3)
        #expect(try await sum == 3, "\(faults)")
        await client.close()
    }

    @Test func aProxy() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
        }
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        configuration.pingInterval = .milliseconds(100)
        configuration.pingTimeout = .milliseconds(100)
        try await halfOpen(listener, configuration)
        await listener.stop()
    }

    private func halfOpen(_ listener: JSONRPCListener, _ configuration: WebSocketConfiguration) async throws {
        let proxy = try TCPFaultProxy(upstreamPort: listener.port)
        let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:\(proxy.port)", webSocket: configuration)
        proxy.flow = .discard
        await #expect(throws: ClientError.self) { try await client.call("add", params: [1, 2], as: Int.self) }
        proxy.close()
        await client.close()
    }

    @Test func recordings() async throws {
        let path = "/tmp/jsonrpc-recording-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        defer { unlink(path) }
        let connector = InMemoryConnector {
            let session = DuplexSession()
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
            return session.receiver
        }
        try await record(connector, path)
        try await replay(path)
        let recording = try SessionRecording(contentsOfFile: path)
        let script = PeerScript(replaying: recording, as: .client, matching: .kinds)
        let caller = ScriptedPeer(playing: script)
        try await connector.connect(receiver: caller.receiver)
        try await caller.finishScript()
    }

    private func record(_ connector: InMemoryConnector, _ path: String) async throws {
        let recorder = SessionRecorder()
        let client = JSONRPCClient(connector: recorder.connector(over: connector))
        try await client.connect()
        #expect(try await client.call("add", params: [1, 2], as: Int.self) == 3)
        await client.close()
        try recorder.recording.write(toFile: path)
    }

    private func replay(_ path: String) async throws {
        let recording = try SessionRecording(contentsOfFile: path)
        let server = ScriptedPeer(playing: PeerScript(replaying: recording, as: .server), matching: .anyOrder)
        let client = JSONRPCClient(connector: server.connector)
        try await client.connect()
        #expect(try await client.call("add", params: [1, 2], as: Int.self) == 3)
        await client.close()
        try await server.finishScript()
    }
}
