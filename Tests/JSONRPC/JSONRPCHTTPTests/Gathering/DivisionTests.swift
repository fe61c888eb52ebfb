// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Batches that a server rejects because of their size.
@Suite(.inTurn(within: .seconds(60)))
struct DivisionTests {
    /// A server that accepts arrays of a few members.
    private static func server(accepting limit: Int, _ rejection: FakeServer.Reply) -> FakeServer {
        FakeServer { arrival in
            if arrival.members.count > limit { return rejection }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
    }

    private static let rejections: [FakeServer.Reply] = [
        .text("<html>413</html>", .contentTooLarge, fields: [.contentType: "text/html"]),
        .text("", .contentTooLarge, fields: [:]),
        .text(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch limit 4 exceeded"}}"#),
        .text(#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"Batch too large"}}]"#),
        .text(
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}"#, .badRequest),
    ]

    @Test(arguments: rejections.indices) func aRejectedBatchIsHalvedUntilItFits(rejection: Int) async throws {
        let events = EventLog<[Int]>()
        let server = Self.server(accepting: 4, Self.rejections[rejection])
        let rpc = JSONRPCHTTPClient.over(server) {
            $0.observe = { if case .divided(let members, let limit) = $0 { events.record([members, limit]) } }
        }
        let outcomes = try await rpc.batch((0..<20).map { Subtract($0) })
        #expect(outcomes == (0..<20).map { .success($0) })
        #expect(server.arrivals.elements.map(\.members.count) == [20, 10, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
        #expect(events.elements == [[20, 10], [10, 5], [5, 2]])
        // The limit is remembered.
        _ = try await rpc.batch((0..<5).map { Subtract($0) })
        #expect(server.arrivals.elements.dropFirst(13).map(\.members.count) == [2, 2, 1])
    }

    @Test func aServerWithoutBatchesGetsObjects() async throws {
        let server = Self.server(accepting: 1, Self.rejections[2])
        let rpc = JSONRPCHTTPClient.over(server)
        #expect(try await rpc.batch((0..<4).map { Subtract($0) }) == (0..<4).map { .success($0) })
        #expect(server.arrivals.elements.map(\.isArray) == [true, true, false, false, false, false])
    }

    @Test func theLimitHoldsForGatheredCalls() async throws {
        let server = Self.server(accepting: 4, Self.rejections[0])
        let rpc = JSONRPCHTTPClient.over(server) {
            $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 8)
        }
        for round in 0..<2 {
            let tasks = (0..<8).map { number in Task { try await rpc.call(Subtract(number)) } }
            for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
            #expect(server.arrivals.elements.count == [3, 5][round])
        }
        #expect(server.arrivals.elements.map(\.members.count) == [8, 4, 4, 4, 4])
    }

    @Test func theLimitGrowsAgain() async throws {
        let server = FakeServer { arrival in
            if arrival.number == 0 { return Self.rejections[0] }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = JSONRPCHTTPClient.over(server)
        for _ in 0..<60 { _ = try await rpc.batch((0..<4).map { Subtract($0) }) }
        #expect(server.arrivals.elements[1].members.count == 2)
        #expect(server.arrivals.elements.last?.members.count == 4)
    }

    @Test func aSingleCallThatIsTooLargeFails() async throws {
        let server = Self.server(accepting: 0, Self.rejections[0])
        let rpc = JSONRPCHTTPClient.over(server)
        let failure = try #require(await error { try await rpc.call(Subtract(1)) } as? ClientError)
        #expect(failure.httpAnswer?.status == .contentTooLarge)
        let outcomes = try await rpc.batch([Subtract(1), Subtract(2)])
        #expect(outcomes.allSatisfy { $0.callError?.httpAnswer?.status == .contentTooLarge })
        #expect(server.arrivals.elements.map(\.members.count) == [1, 2, 1, 1])
    }

    @Test func divisionCanBeSwitchedOff() async throws {
        let server = Self.server(accepting: 1, Self.rejections[2])
        let rpc = JSONRPCHTTPClient.over(server) { $0.dividesRejectedBatches = false }
        let outcomes = try await rpc.batch([Subtract(1), Subtract(2)])
        #expect(outcomes.map { $0.callError?.errorObject?.code } == [-32600, -32600])
        #expect(server.arrivals.elements.count == 1)
    }

    /// The methods may have been executed.
    @Test func errorsOfMembersThatMentionABatchDoNotDivideIt() async throws {
        let server = FakeServer { .each($0) { _ in #""error":{"code":5,"message":"no such batch"}"# } }
        let outcomes = try await JSONRPCHTTPClient.over(server).batch([Subtract(1), Subtract(2)])
        #expect(outcomes.map { $0.callError?.errorObject?.code } == [5, 5])
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func anotherErrorForTheWholeBatchIsTheOutcomeOfEachCall() async throws {
        let server = FakeServer { _ in
            .text(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}"#)
        }
        let outcomes = try await JSONRPCHTTPClient.over(server).batch([Subtract(1), Subtract(2)])
        #expect(outcomes.map { $0.callError?.errorObject?.message } == ["Invalid request", "Invalid request"])
        // A member that is sent alone shows that the server accepts arrays in general.
        #expect(server.arrivals.elements.map(\.members.count) == [2, 1])
    }

    @Test func membersWhoseAnswerBecameTooLargeAreAskedAlone() async throws {
        let server = FakeServer { arrival in
            .each(arrival) { call in
                let number = FakeServer.difference(call)
                return arrival.isArray && number >= 2
                    ? #""error":{"code":-32003,"message":"response too large"}"# : #""result":\#(number)"#
            }
        }
        let rpc = JSONRPCHTTPClient.over(server)
        let idempotent = CallOptions(extraMembers: ExtraMembers(), isIdempotent: true)
        let entries = try (0..<5).map { number in
            BatchEntry(
                method: "subtract", params: try RawJSON(validating: "[\(number),0]"),
                options: number == 4 ? CallOptions() : idempotent)
        }
        let outcomes = try await rpc.batch(entries)
        #expect(try outcomes[..<4].map { try $0?.get().text } == ["0", "1", "2", "3"])
        // It is unknown whether the server has processed the call that is not idempotent.
        #expect(try #require(outcomes[4]).callError?.errorObject?.code == -32003)
        #expect(server.arrivals.elements.map(\.members.count) == [5, 1, 1])
    }

    @Test func membersOfADividedBatchKeepTheirOrder() async throws {
        let server = Self.server(accepting: 3, Self.rejections[0])
        _ = try await JSONRPCHTTPClient.over(server).batch((0..<10).map { Subtract($0) })
        let accepted = server.arrivals.elements.filter { $0.members.count <= 3 }
        #expect(accepted.flatMap(\.members).compactMap { $0["params"]?[0]?.intValue } == Array(0..<10))
    }
}
