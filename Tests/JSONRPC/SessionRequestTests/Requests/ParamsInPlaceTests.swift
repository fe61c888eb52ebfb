// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// Params that are encoded into the message itself.
@Suite(.inTurn(within: .seconds(60)))
struct ParamsInPlaceTests {
    private struct Failure: Error, Equatable {}

    /// Appends bytes and then fails. A program's coder may do so, too, against its contract.
    private struct LeavingCoder: MessageCoder {
        func encode<Value: Encodable>(_ value: Value) throws -> RawJSON { throw Failure() }

        func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws {
            bytes += "[1,".utf8
            throw Failure()
        }

        func decode<Value: Decodable>(_ type: Value.Type, from json: RawJSON) throws -> Value { throw Failure() }
    }

    /// Encodes another value while it is encoded.
    private struct Nested: Encodable, Sendable {
        var coder: any MessageCoder

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(coder.encode(["inner": 1]).text)
        }
    }

    /// Keeps the params of calls.
    private final class SeenParams: CallInterceptor {
        let params = Mutex<[RawJSON?]>([])

        func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
            params.withLock { $0.append(call.params) }
            return try await next(call)
        }
    }

    @Test func aCallAfterAFailureHasItsOwnParamsOnly() async throws {
        let wire = await Wire()
        for _ in 0..<3 {
            let error = await #expect(throws: ClientError.self) {
                try await wire.session.call("bad", params: ["a": 1.5, "b": .nan])
            }
            #expect(error?.code == .encodingFailed)
            #expect(error?.method == "bad")
        }
        async let answer: Int = wire.session.call("good", params: [1])
        let request = try await wire.peer.expectRequest("good")
        #expect(request.params == [1])
        #expect(request.id == 1, "A call that is not sent has no id.")
        try wire.peer.reply(to: request, result: 7)
        #expect(try await answer == 7)
        #expect(wire.session.callsInFlight == 0)
        await wire.session.close()
    }

    /// The clients are not connected. One of them would wait for a connection.
    @Test(arguments: [ReconnectPolicy.never, .always])
    func badParamsAreReportedWithoutAConnection(_ reconnect: ReconnectPolicy) async {
        let client = JSONRPCClient(connector: InMemoryConnector { ScriptedPeer().receiver }, reconnect: reconnect)
        let error = await #expect(throws: ClientError.self) {
            try await client.call("bad", params: ["a": Double.nan])
        }
        #expect(error?.code == .encodingFailed)
    }

    @Test func outputOfAFailingCoderIsNotSent() async throws {
        let wire = await Wire(.with { $0.coder = LeavingCoder() })
        let error = await #expect(throws: ClientError.self) { try await wire.session.call("bad", params: [1]) }
        #expect(error?.cause as? Failure == Failure())
        async let answer = wire.session.callRaw("good", params: RawJSON(validating: "[2]"))
        let request = try await wire.peer.expectRequest("good")
        #expect(request.params == [2])
        try wire.peer.reply(to: request, result: 7)
        let result = try await answer
        #expect(result.text == "7")
        await wire.session.close()
    }

    @Test func anyMethodAndAnyParamsArriveAsTheyAre() async throws {
        let wire = await Wire()
        let methods = ["m", "", "a \"quoted\" \\ name\n", "größe", String(repeating: "m", count: 3000)]
        // Lengths around those of messages on the stack and of messages shared with the transport.
        let lengths = [0, 1, 900, 1024, 1100, (16 << 10) - 40, 16 << 10, (16 << 10) + 1, 100_000]
        for method in methods {
            for length in lengths {
                let text = String(repeating: "x", count: length)
                async let answer: String = wire.session.call(method, params: [text])
                let request = try await wire.peer.expectRequest(method)
                #expect(request.params == [.string(text)])
                try wire.peer.reply(to: request, result: .string(text))
                #expect(try await answer == text)
            }
        }
        await wire.session.close()
    }

    @Test func nullParamsAreNotSentAndAScalarIsRefused() async throws {
        let wire = await Wire()
        async let answer: Int = wire.session.call("none", params: Int?.none)
        let request = try await wire.peer.expectRequest("none")
        #expect(request.params == nil)
        try wire.peer.reply(to: request, result: 7)
        #expect(try await answer == 7)
        let error = await #expect(throws: ClientError.self) {
            try await wire.session.call("scalar", params: Int?.some(1))
        }
        #expect(error?.message == ClientError.unstructuredParams(method: "scalar").message)
        await wire.session.close()
    }

    @Test func aCallCanBeEncodedWhileAnotherIs() async throws {
        let wire = await Wire()
        async let answer: Int = wire.session.call("m", params: Nested(coder: wire.session.coder))
        let request = try await wire.peer.expectRequest("m")
        #expect(request.params == [#"{"inner":1}"#])
        try wire.peer.reply(to: request, result: 7)
        #expect(try await answer == 7)
        await wire.session.close()
    }

    @Test func callsThatWaitForRoomKeepTheirParams() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 1 })
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<8 {
                group.addTask { (number, try await wire.session.call("m", params: [number, number])) }
            }
            // The first call is answered when all others wait.
            try await wire.untilIssued(8)
            for _ in 0..<8 {
                let request = try await wire.peer.expectRequest("m")
                let params = try #require(request.params?.arrayValue)
                #expect(params[0] == params[1])
                try wire.peer.reply(to: request, result: params[0])
            }
            for try await (number, result) in group { #expect(number == result) }
        }
        await wire.session.close()
    }

    @Test func interceptorsSeeTheParams() async throws {
        let seen = SeenParams()
        let wire = await Wire(.with { $0.calls.interceptors = [seen] })
        async let answer: Int = wire.session.call("m", params: [1])
        try wire.peer.reply(to: try await wire.peer.expectRequest("m"), result: 7)
        #expect(try await answer == 7)
        #expect(try seen.params.withLock { $0 } == [RawJSON(validating: "[1]")])
        await wire.session.close()
    }

    @Test func bytesAreKeptUpToALimit() {
        let spare = SpareBytes(limit: 100)
        var bytes = spare.take()
        #expect(bytes.isEmpty && bytes.capacity == 0)
        bytes.reserveCapacity(40)
        bytes += [1, 2, 3]
        let capacity = bytes.capacity
        spare.put(&bytes)
        #expect(bytes.isEmpty)
        bytes = spare.take()
        #expect(bytes.isEmpty && bytes.capacity == capacity)
        #expect(spare.take().capacity == 0, "The array is in use.")
        bytes.reserveCapacity(1000)
        spare.put(&bytes)
        #expect(spare.take().capacity == 0)
    }
}
