// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Servers that refuse arrays, in various ways.
@Suite(.inTurn(within: .seconds(60)))
struct RefusedArrayTests {
    private struct Read: JSONRPCRequest {
        typealias Response = Int
        var number: Int
        var method: String { "subtract" }
        var params: [Int] { [number, 0] }
        var isIdempotent: Bool { true }
    }

    private static let parseError = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#
    private static let invalid = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#
    private static let notFound = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#

    private static let refusals: [@Sendable () throws -> FakeServer.Reply] = [
        { .text(parseError) },
        { .text(invalid, .badRequest) },
        { .text(notFound) },
        { .text("AttributeError: 'list' object has no attribute 'get'", .internalServerError, fields: [:]) },
        { .text("batches are not supported", fields: [.contentType: "text/plain"]) },
        { .text(#"{"message":"no batches"}"#) },
        { .text("", .methodNotAllowed, fields: [:]) },
        { throw HTTPTransportError(.connectionLost, "The server closed the connection.") },
    ]

    /// A server that answers objects, and refuses arrays.
    private static func server(_ refusal: Int) -> FakeServer {
        FakeServer { arrival in
            if arrival.isArray { return try refusals[refusal]() }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
    }

    @Test(arguments: refusals.indices) func idempotentCallsAreSentAloneAndTheRefusalIsRemembered(_ refusal: Int)
        async throws
    {
        let events = EventLog<[Int]>()
        let server = Self.server(refusal)
        let rpc = JSONRPCHTTPClient.over(server) {
            $0.observe = { if case .divided(let members, let limit) = $0 { events.record([members, limit]) } }
        }
        for round in 0..<2 {
            #expect(try await rpc.batch((0..<5).map { Read(number: $0) }) == (0..<5).map { .success($0) })
            #expect(server.arrivals.elements.count(where: \.isArray) == 1)
            #expect(server.arrivals.elements.count == [6, 11][round])
        }
        #expect(events.elements == [[5, 1]])
    }

    /// After the two errors of the specification, and without a method, the server has processed no member.
    @Test(arguments: [0, 1, 2]) func allCallsAreSentAloneIfTheServerHasReadNone(_ refusal: Int) async throws {
        let server = Self.server(refusal)
        let rpc = JSONRPCHTTPClient.over(server)
        #expect(try await rpc.batch((0..<4).map { Subtract($0) }) == (0..<4).map { .success($0) })
        #expect(server.arrivals.elements.count == 5)
    }

    @Test(arguments: 3..<refusals.count) func otherCallsAreNotSentAgainIfTheServerMayHaveReadThem(_ refusal: Int)
        async throws
    {
        let server = Self.server(refusal)
        let outcomes = try await JSONRPCHTTPClient.over(server).batch((0..<4).map { Subtract($0) })
        #expect(outcomes.allSatisfy { $0.callError != nil })
        #expect(server.arrivals.elements.count == 1)
    }

    /// A server that also fails for a single member gets no further requests.
    @Test(arguments: [3, 7]) func aServerThatFailsAtEverythingGetsOneRequestMore(_ refusal: Int) async throws {
        let server = FakeServer { _ in try Self.refusals[refusal]() }
        let outcomes = try await JSONRPCHTTPClient.over(server).batch((0..<10).map { Read(number: $0) })
        #expect(outcomes.count == 10)
        #expect(outcomes.allSatisfy { $0.callError != nil })
        #expect(server.arrivals.elements.map(\.members.count) == [10, 1])
    }

    @Test func aServerThatHasAnsweredAnArrayIsNotAskedAgain() async throws {
        let server = FakeServer { arrival in
            if arrival.number == 1 { return try Self.refusals[3]() }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = JSONRPCHTTPClient.over(server)
        #expect(try await rpc.batch((0..<3).map { Read(number: $0) }) == (0..<3).map { .success($0) })
        #expect(try await rpc.batch((0..<3).map { Read(number: $0) }).allSatisfy { $0.callError != nil })
        #expect(server.arrivals.elements.map(\.members.count) == [3, 3])
    }

    @Test func concurrentArraysOfOneBatchAreAllSentAlone() async throws {
        let server = Self.server(0)
        let rpc = JSONRPCHTTPClient.over(server) {
            $0.batchConcurrency = BatchConcurrency(maximumMembers: 4, maximumRequests: 3)
        }
        #expect(try await rpc.batch((0..<12).map { Subtract($0) }) == (0..<12).map { .success($0) })
    }
}
