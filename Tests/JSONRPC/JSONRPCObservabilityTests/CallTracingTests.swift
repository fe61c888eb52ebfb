// swift-jsonrpc · SPDX-License-Identifier: MIT

import InMemoryTracing
import JSONRPCObservability
import JSONRPCSession
import JSONRPCTesting
import TestTurns
import Testing
import Tracing

@Suite(.inTurn(within: .seconds(60))) struct CallTracingTests {
    private let tracer = InMemoryTracer(idGenerator: .incrementing)

    private func connected(propagates: Bool) async throws -> (JSONRPCClient, ScriptedPeer) {
        let tracing = CallTracing(tracer: tracer, propagates: propagates)
        let peer = ScriptedPeer(matching: .anyOrder)
        var configuration = SessionConfiguration()
        configuration.calls.interceptors = [tracing]
        configuration.inbound.interceptors = [tracing]
        let client = JSONRPCClient(connector: peer.connector, configuration: configuration)
        try await client.connect()
        return (client, peer)
    }

    @Test(arguments: [true, false]) func aCallIsASpanAndCarriesItsContextIfAsked(propagates: Bool) async throws {
        let (client, peer) = try await connected(propagates: propagates)
        async let sum: Int = client.call("add", params: [1, 2])
        let request = try await peer.expectRequest("add")
        try peer.reply(to: request, result: 3)
        #expect(try await sum == 3)
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "add")
        #expect(span.kind == .client)
        #expect(span.attributes["rpc.system"]?.toSpanAttribute() == "jsonrpc")
        let sent = request.json[InMemoryTracer.traceIDKey]?.stringValue
        #expect(sent == (propagates ? span.traceID : nil))
        await client.close()
    }

    @Test func aFailedCallNamesItsError() async throws {
        let (client, peer) = try await connected(propagates: false)
        let refused = Task { try await client.callRaw("refuse") }
        try peer.reply(to: try await peer.expectRequest("refuse"), error: ErrorObject(code: 7, message: "no"))
        _ = await #expect(throws: ErrorObject.self) { try await refused.value }
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.status?.code == .error)
        #expect(span.attributes["rpc.jsonrpc.error_code"]?.toSpanAttribute() == 7)
        #expect(span.attributes["rpc.jsonrpc.error_message"]?.toSpanAttribute() == "no")
        await client.close()
    }

    @Test(arguments: [true, false]) func aCallOfThePeerContinuesItsTraceIfAsked(propagates: Bool) async throws {
        let (client, peer) = try await connected(propagates: propagates)
        client.handle("greet") { () async throws -> String in "hello" }
        try peer.send(json: [
            "jsonrpc": "2.0", "id": "a", "method": "greet", .init(InMemoryTracer.traceIDKey): "the trace",
            .init(InMemoryTracer.spanIDKey): "the span",
        ])
        _ = try await peer.expectResponse(to: "a")
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.kind == .server)
        #expect((span.traceID == "the trace") == propagates)
        #expect((span.parentSpanID == "the span") == propagates)
        await client.close()
    }

    /// A hostile value in place of a trace's context has no effect on the call.
    @Test(arguments: ["1", "null", "[1]", "\"\(String(repeating: "x", count: 5000))\"", #""\ud83d\ude00\u0000""#])
    func hostileContextsDoNoHarm(value: String) async throws {
        let (client, peer) = try await connected(propagates: true)
        client.handle("greet") { () async throws -> String in "hello" }
        try peer.send(#"{"jsonrpc":"2.0","id":1,"method":"greet","\#(InMemoryTracer.traceIDKey)":\#(value)}"#)
        _ = try await peer.expectResponse(to: 1)
        #expect(tracer.finishedSpans.count == 1)
        await client.close()
    }

    @Test func eachMemberOfABatchHasASpan() async throws {
        let (client, peer) = try await connected(propagates: false)
        async let both = client.batch(MethodCall("one", as: Int.self), MethodCall("two", as: Int.self))
        let requests = try await peer.expectBatch()
        try peer.reply(to: requests, results: [1, 2])
        #expect(try await both == (1, 2))
        #expect(tracer.finishedSpans.map(\.operationName).sorted() == ["one", "two"])
        await client.close()
    }
}
