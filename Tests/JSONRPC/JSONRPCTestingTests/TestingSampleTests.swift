// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import TestTurns
import Testing

/// The samples in the documentation of `JSONRPCTesting`.
@Suite(.inTurn(within: .seconds(60))) struct TestingSampleTests {
    struct Downloads {
        let client: JSONRPCClient

        func add(_ url: String) async throws -> String {
            try await client.call("aria2.addUri", params: [[url]], timeout: .seconds(5))
        }
    }

    @Test func addReturnsTheID() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        try await client.connect()
        async let id = Downloads(client: client).add("http://127.0.0.1/x")
        let request = try await peer.expectRequest("aria2.addUri", params: [["http://127.0.0.1/x"]])
        try peer.reply(to: request, result: "2089b05ecca3d829")
        #expect(try await id == "2089b05ecca3d829")
        await client.close()
    }

    @Test func addTimesOut() async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.clock = clock
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector, configuration: configuration)
        try await client.connect()
        let adding = Task { try await Downloads(client: client).add("http://127.0.0.1/x") }
        try await peer.expectRequest("aria2.addUri")
        try await clock.expectSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: ClientError.self) { try await adding.value }
        #expect(error?.code == .timedOut)
        await client.close()
    }

    @Test func aSessionCallsThePeer() async throws {
        let peer = ScriptedPeer()
        let session = DuplexSession()
        try await peer.connector.connect(receiver: session.receiver)
        async let sum: Int = session.call("subtract", params: [42, 23])
        let request = try await peer.expectRequest("subtract", params: [42, 23])
        try peer.reply(to: request, result: 19)
        #expect(try await sum == 19)
        await session.close()
    }

    @Test func thePeerCallsTheClient() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        client.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
        try await client.connect()
        try peer.request("add", params: [1, 2], id: 7)
        let response = try await peer.expectResponse(to: 7)
        #expect(response.outcome == .success(3))

        try peer.request("subtract", params: [1, 2], id: "a")
        let refusal = try await peer.expectResponse(to: "a")
        let error = #expect(throws: ErrorObject.self) { try refusal.outcome.get() }
        #expect(error?.code == .methodNotFound)
        await client.close()
    }

    @Test func aFailureNamesTheLineOfItsExpectation() async throws {
        let peer = ScriptedPeer(patience: .zero)
        let failure = await #expect(throws: ScriptFailure.self) {
            try await peer.expectRequest("add")
        }
        #expect(failure?.location.line == #line - 3)
        #expect(failure?.location.fileID == #fileID)
    }

    @Test func anExpectedRequestRecordsNoIssue() async throws {
        let peer = ScriptedPeer()
        let session = DuplexSession()
        try await peer.connector.connect(receiver: session.receiver)
        async let sum: Int = session.call("add", params: [1, 2])
        try await record(peer)
        try peer.send(#"{"jsonrpc":"2.0","id":1,"result":3}"#)
        #expect(try await sum == 3)
        await session.close()
    }

    /// The sample of `ScriptFailure`.
    private func record(_ peer: ScriptedPeer) async throws {
        do {
            try await peer.expectRequest("add")
        } catch let failure as ScriptFailure {
            let place = failure.location
            Issue.record(
                failure,
                sourceLocation: SourceLocation(
                    fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column))
        }
    }
}
