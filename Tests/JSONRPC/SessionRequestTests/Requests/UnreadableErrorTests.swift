// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct UnreadableErrorTests {
    private static func words(_ count: Int) -> String { String(repeating: "é", count: count) }

    @Test(arguments: [
        (#""Method not found, sorry""#, #"a response whose error is not an object: "Method not found, sorry""#),
        (
            #"{"code":1180591620717411303424,"message":"busy"}"#,
            #"an error without a usable code: {"code":1180591620717411303424,"message":"busy"}"#
        ),
        (#"{"message":"busy"}"#, #"an error without a usable code: {"message":"busy"}"#),
        (#""\#(words(5000))""#, #"a response whose error is not an object: "\#(words(99))…"#),
    ])
    func theServersWordsAreShown(error: String, text: String) async throws {
        let wire = await Wire()
        async let answer = outcome { try await wire.session.callRaw("m") }
        let request = try await wire.peer.expectRequest("m")
        let id = String(decoding: try #require(request.id).bytes, as: UTF8.self)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"error":\#(error)}"#)
        let failure = try #require(await answer.failure as? ClientError)
        #expect(failure.code == .protocolViolation)
        #expect(failure.message == "The peer sent \(text)")
        await wire.session.close()
    }
}
