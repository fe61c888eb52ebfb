// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@JSONRPCProxy
protocol Lookup {
    @RPC(idempotent: true) func find(id: Int) async throws -> Int
    @RPC(options: CallOptions(isIdempotent: true)) func byOptions() async throws -> Int
    @RPC(options: CallOptions(isIdempotent: true), idempotent: false) func either() async throws
    @RPC(options: .session("s1"), idempotent: true) func clear() async throws
    @RPC(options: .session("s1"), idempotent: false) func put(id: Int) async throws -> Int
}

/// Answers each call with 0, and records its options.
private struct OptionsRecorder: JSONRPCCaller {
    let options = EventLog<CallOptions>()
    var coder: any MessageCoder { .wireJSON }

    func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        self.options.record(options)
        return RawJSON(JSONValue(0))
    }

    func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {}

    func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        for entry in entries { options.record(entry.options) }
        return entries.map { _ in .success(RawJSON(JSONValue(0))) }
    }
}

/// `@RPC(idempotent:)`.
@Suite(.inTurn(within: .seconds(60)))
struct IdempotentTests {
    private let expected = [
        CallOptions(isIdempotent: true), CallOptions(isIdempotent: true), CallOptions(isIdempotent: true),
        CallOptions(extraMembers: CallOptions.session("s1").extraMembers, isIdempotent: true), .session("s1"),
    ]

    @Test func theAttributeOrItsOptionsMarkACall() async throws {
        let caller = OptionsRecorder()
        let lookup = LookupProxy(over: caller)
        _ = try await lookup.find(id: 1)
        _ = try await lookup.byOptions()
        try await lookup.either()
        try await lookup.clear()
        _ = try await lookup.put(id: 1)
        #expect(caller.options.elements == expected)
    }

    @Test func requestsCarryTheMark() async throws {
        let caller = OptionsRecorder()
        let requests = LookupProxy.requests
        _ = try await caller.call(requests.find(id: 1))
        _ = try await caller.batch(
            requests.byOptions(), requests.either(), requests.clear(), requests.put(id: 1))
        #expect(caller.options.elements == expected)
    }

    @Test func aMarkedCallIsSentAgainAfterALoss() async throws {
        let peer = ScriptedPeer()
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .milliseconds(1), maximum: .milliseconds(1))
        let client = JSONRPCClient(connector: peer.connector, reconnect: reconnect)
        try await client.connect()
        let lookup = LookupProxy(over: client)
        async let found = lookup.find(id: 7)
        let first = try await peer.expectRequest("find", params: ["id": 7])
        peer.drop()
        try await peer.expectClosure(1)
        try await peer.expectConnection(2)
        let second = try await peer.expectRequest("find", params: ["id": 7])
        #expect((first.connection, second.connection) == (1, 2))
        try peer.reply(to: second, result: 8)
        #expect(try await found == 8)

        async let put = #expect(throws: ClientError.self) { try await lookup.put(id: 7) }
        _ = try await peer.expectRequest("put")
        peer.drop()
        #expect(await put?.delivery == .outcomeUnknown)
        await client.close()
    }
}
