// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct DynamicMethodTests {
    private struct Point: Codable, Sendable, Equatable {
        var x: Int, y: Int
    }

    @Test func membersAreTheNameAndArgumentsTheParams() async throws {
        let wire = await Wire()
        async let byPosition: Int = wire.session.dynamic.math.subtract(42, 23)
        try wire.peer.reply(to: try await wire.peer.expectRequest("math.subtract", params: [42, 23]), result: 19)
        #expect(try await byPosition == 19)

        async let byName: Int = wire.session.dynamic.math.subtract(minuend: 42, subtrahend: 23)
        try wire.peer.reply(
            to: try await wire.peer.expectRequest("math.subtract", params: ["minuend": 42, "subtrahend": 23]),
            result: 19)
        #expect(try await byName == 19)
        await wire.session.close()
    }

    @Test func argumentsAreOfAnyTypes() async throws {
        let wire = await Wire()
        async let point: Point = wire.session.dynamic.move(Point(x: 1, y: 2), "left", [1.5], JSONValue.null, true)
        let request = try await wire.peer.expectRequest("move", params: [["x": 1, "y": 2], "left", [1.5], nil, true])
        try wire.peer.reply(to: request, result: ["x": 0, "y": 2])
        #expect(try await point == Point(x: 0, y: 2))
        await wire.session.close()
    }

    @Test func resultWithoutAContextIsAJSONValue() async throws {
        let wire = await Wire()
        let task = Task { try await wire.session.dynamic.system.info() }
        try await wire.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"system.info"}
            <-- {"jsonrpc":"2.0","id":1,"result":{"name":"x","sizes":[1,2]}}
            """#)
        let info = try await task.value
        #expect(info.sizes?[1] == 2)
        let named = Task { try await wire.session.dynamic.system.info(of: "disk") }
        try wire.peer.reply(to: try await wire.peer.expectRequest("system.info", params: ["of": "disk"]), result: nil)
        #expect(try await named.value == .null)
        await wire.session.close()
    }

    @Test func namesThatAreNoIdentifiersAndOtherSeparators() async throws {
        let wire = await Wire()
        let session = wire.session
        #expect(session.dynamic["aria2.addUri"].dynamicMethodName == "aria2.addUri")
        #expect(session.dynamic.system["list-methods"].dynamicMethodName == "system.list-methods")
        #expect(
            session.dynamic(separator: "/").textDocument.hover.dynamicMethodName == "textDocument/hover")
        async let gid: String = session.dynamic["aria2.addUri"](["http://127.0.0.1/x"])
        let request = try await wire.peer.expectRequest("aria2.addUri", params: [["http://127.0.0.1/x"]])
        try wire.peer.reply(to: request, result: "gid")
        #expect(try await gid == "gid")
        await wire.session.close()
    }

    @Test func labelsAreAllOrNone() async throws {
        let wire = await Wire()
        let mixed = await outcome { try await wire.session.dynamic.m(1, second: 2) }
        #expect((mixed.failure as? ClientError)?.code == .encodingFailed)
        #expect((mixed.failure as? ClientError)?.method == "m")
        let twice = await outcome { try await wire.session.dynamic.m(a: 1, a: 2) }
        #expect((twice.failure as? ClientError)?.code == .encodingFailed)
        #expect(wire.session.callCounts.issued == 0)
        await wire.session.close()
    }

    @Test func errorsTimeoutAndOptionsAreThoseOfCalls() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        var members = ExtraMembers()
        try members.set("auth", to: RawJSON("x"))
        let dynamic = wire.session.dynamic(timeout: .seconds(5), options: CallOptions(extraMembers: members))
        let late = Task { try await dynamic.slow() }
        try await wire.peer.play(#"--> {"jsonrpc":"2.0","id":1,"method":"slow","auth":"x"}"#)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: ClientError.self) { try await late.value }
        #expect(error?.code == .timedOut)
        let refused = Task { try await wire.session.dynamic.unknown() }
        try wire.peer.reply(to: try await wire.peer.expectRequest("unknown"), error: ErrorObject(.methodNotFound))
        await #expect(throws: ErrorObject(.methodNotFound)) { try await refused.value }
        await wire.session.close()
    }
}
