// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCHTTP

@Suite("Compressed requests", .inTurn(within: .seconds(60)))
struct RequestCompressionTests {
    private let long = String(repeating: "compressible ", count: 500)

    /// A server that refuses compressed POSTs, and answers others.
    private static func refusing(_ refusal: FakeServer.Reply) -> FakeServer {
        FakeServer { arrival in
            if arrival.request.headerFields[.contentEncoding] != nil { return refusal }
            return .each(arrival) { #""result":\#($0["params"]?[0] ?? .null)"# }
        }
    }

    private func client(
        _ server: FakeServer, _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in }
    ) -> JSONRPCHTTPClient {
        .over(server) {
            $0.compression = RequestCompression()
            change(&$0)
        }
    }

    @Test func onlyLongBodiesAreCompressed() async throws {
        let reports = EventLog<PostReport>()
        let server = FakeServer { arrival in
            .text(#"{"jsonrpc":"2.0","id":\#(arrival.number + 1),"result":"ok"}"#)
        }
        let rpc = client(server) { $0.observe = { if case .posted(let report) = $0 { reports.record(report) } } }
        #expect(try await rpc.call("echo", params: ["short"], as: String.self) == "ok")
        #expect(try await rpc.call("echo", params: [long], as: String.self) == "ok")
        let arrivals = server.arrivals.elements
        #expect(arrivals.map { $0.request.headerFields[.contentEncoding] } == [nil, "gzip"])
        #expect(arrivals[0].json["method"] == "echo")
        #expect(arrivals[1].body.starts(with: [0x1F, 0x8B]))
        #expect(arrivals[1].body.count < 500)
        #expect(reports.elements.map(\.sentBytes) == arrivals.map(\.body.count))
    }

    @Test func aBodyThatWouldNotBecomeSmallerIsSentAsItIs() {
        var generator = SeededGenerator(seed: 7)
        let noise = (0..<5000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(RequestCompression().compressed(noise) == nil)
        #expect(RequestCompression(minimumBytes: 0).compressed([]) == nil)
        #expect(RequestCompression(minimumBytes: 0).compressed(Array("{}".utf8)) == nil)
        #expect(RequestCompression(minimumBytes: 5001).compressed(Array(repeating: 1, count: 5000)) == nil)
        #expect(RequestCompression(minimumBytes: 5000).compressed(Array(repeating: 1, count: 5000)) != nil)
    }

    @Test(arguments: [
        FakeServer.Reply.text("", .unsupportedMediaType, fields: [.acceptEncoding: "identity"]),
        .text(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#),
        .text(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#, .badRequest),
    ])
    func aRefusalIsRemembered(refusal: FakeServer.Reply) async throws {
        let server = Self.refusing(refusal)
        let rpc = client(server) { $0.maximumRequestsInFlight = 1 }
        #expect(try await rpc.call("echo", params: [long], as: String.self) == long)
        let outcomes = try await rpc.batch([1, 2].map { _ in MethodCall("echo", params: [long], as: String.self) })
        #expect(outcomes == [.success(long), .success(long)])
        let fields = server.arrivals.elements.map { $0.request.headerFields[.contentEncoding] }
        #expect(fields == ["gzip", nil, nil])
        #expect(server.arrivals.elements[1].ids == [1])
    }

    @Test(arguments: [
        FakeServer.Reply.text("", .badRequest, fields: [:]),
        .text(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}"#),
    ])
    func anotherErrorIsNoRefusal(reply: FakeServer.Reply) async throws {
        let server = Self.refusing(reply)
        #expect(await error { try await client(server).callRaw("echo", params: RawJSON(encoding: [long])) } != nil)
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func nothingIsCompressedByDefault() async throws {
        let server = Self.refusing(.text("", .badRequest))
        let rpc = JSONRPCHTTPClient.over(server)
        #expect(try await rpc.call("echo", params: [long], as: String.self) == long)
    }
}
