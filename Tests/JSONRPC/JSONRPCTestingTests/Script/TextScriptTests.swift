// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Text scripts with a real client.
@Suite(.inTurn(within: .seconds(60))) struct TextScriptTests {
    private func connected(to peer: ScriptedPeer) async throws -> JSONRPCClient {
        let client = JSONRPCClient(connector: peer.connector)
        try await client.connect()
        return client
    }

    @Test func aSubscriptionIsServedAndTheServerRestarts() async throws {
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
        await clock.waitForSleeper(dueIn: .seconds(5))
        #expect(session.closure == nil)
        clock.advance(by: .seconds(5))
        try await peer.finishScript()
        let closure = try await peer.expectClosure()
        #expect(closure.code == 1012)
        await session.close()
        #expect(session.closure?.code == 1012)
        #expect(session.closure?.reason == "restart")
    }

    @Test func responsesWithoutIDsAnswerTheOldestRequests() async throws {
        let peer = try ScriptedPeer(
            script: """
                --> {"method":"a"}
                --> {"method":"b"}
                --> {"method":"c"}
                <-- {"jsonrpc":"2.0","id":"$2","result":"of b"}
                <-- {"result":"of a"}
                <-- {"error":{"code":-1,"message":"of c"}}
                """)
        let side = RecordingSide()
        try await peer.connector.connect(receiver: side)
        for (id, method) in zip([#""x""#, "2", "null"], ["a", "b", "c"]) {
            side.post(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#)
        }
        #expect(
            await side.log.wait(count: 4) == [
                "opened", #"{"jsonrpc":"2.0","id":2,"result":"of b"}"#, #"{"jsonrpc":"2.0","id":"x","result":"of a"}"#,
                #"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"of c"}}"#,
            ])
        try await peer.finishScript()
    }

    @Test func batchesAreCompletedMemberByMember() async throws {
        let peer = try ScriptedPeer(
            script: """
                --> [{"method":"a"},{"method":"n","id":"$_"},{"jsonrpc":"2.0","method":"b","params":[1],"id":"$b"}]
                <-- [{"result":1},{"id":"$b","result":3},{"result":2}]
                """)
        let side = RecordingSide()
        try await peer.connector.connect(receiver: side)
        side.post(
            #"[{"jsonrpc":"2.0","id":7,"method":"a"},{"jsonrpc":"2.0","id":8,"method":"n"},{"jsonrpc":"2.0","id":9,"method":"b","params":[1]}]"#
        )
        #expect(
            await side.log.first { $0.hasPrefix("[") }
                == #"[{"jsonrpc":"2.0","id":7,"result":1},{"jsonrpc":"2.0","id":9,"result":3},{"jsonrpc":"2.0","id":8,"result":2}]"#
        )
        try await peer.finishScript()
    }

    @Test func bytesOfAMessageStayAsWritten() async throws {
        let peer = try ScriptedPeer(
            script: #"""
                <-- { "result" : 1.00, "id":null }
                <-- {"method":"m","params":{"$set":"$unknown","x":1,"x":2}}
                send {"method":"m"}
                <-- [1,2]
                truncate 12 <-- {"method":"m"}
                binary <-- {"jsonrpc":"2.0"}
                truncate 1 fragmented <-- {}
                """#)
        let side = RecordingSide()
        try await peer.connector.connect(receiver: side)
        #expect(
            await side.log.wait(count: 8) == [
                "opened", #"{"jsonrpc":"2.0", "result" : 1.00, "id":null }"#,
                #"{"jsonrpc":"2.0","method":"m","params":{"$set":"$unknown","x":1,"x":2}}"#, #"{"method":"m"}"#,
                "[1,2]",
                #"{"jsonrpc":""#, #"binary {"jsonrpc":"2.0"}"#, "assembled {",
            ])
        try await peer.finishScript()
    }

    @Test func dollarsAreNamesOnlyBeforeWords() async throws {
        let peer = try ScriptedPeer(
            script: #"""
                --> {"method":"slow"}
                --> {"method":"$/cancelRequest","params":{"id":"$1","note":"$$1","any":"$_"}}
                """#)
        let side = RecordingSide()
        try await peer.connector.connect(receiver: side)
        side.post(#"{"jsonrpc":"2.0","method":"slow","id":"x"}"#)
        side.post(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x","note":"$1","any":[]}}"#)
        try await peer.finishScript()
    }

    @Test func reconnectionIsScripted() async throws {
        let peer = try ScriptedPeer(
            script: """
                --> {"method":"a"}
                drop
                connect
                stop reading
                start reading
                --> {"method":"a"}
                <-- {"result":2}
                """)
        let client = try await connected(to: peer)
        let error = await #expect(throws: ClientError.self) { try await client.call("a", as: Int.self) }
        #expect(error?.code == .connectionLost)
        await client.close()
        let second = try await connected(to: peer)
        #expect(try await second.call("a", as: Int.self) == 2)
        try await peer.finishScript()
        await second.close()
    }

    // MARK: Failures

    @Test func aMismatchShowsBothMessagesAndEndsTheConnection() async throws {
        let peer = try ScriptedPeer(
            script: """
                # The client calls the other method.
                --> {"method":"add","params":{"terms":[1,42]}}
                <-- {"result":43}
                """)
        let line = #line - 6
        let client = try await connected(to: peer)
        let error = await #expect(throws: ClientError.self) {
            try await client.call("add", params: ["terms": [1, 43]], as: Int.self)
        }
        #expect(error?.code == .connectionLost)
        let failure = await #expect(throws: ScriptFailure.self) { try await peer.finishScript() }
        #expect(failure?.scriptLine == 2)
        #expect(failure?.location.line == line)
        #expect(failure?.expected == #"{"method":"add","params":{"terms":[1,42]}}"#)
        #expect(failure?.difference == "at $.params.terms[1]: expected 42, received 43")
        #expect(failure?.description.contains(#"but received {"jsonrpc":"2.0","#) == true)
        #expect((error?.cause as? ScriptFailure)?.scriptLine == 2)
        await client.close()
    }

    @Test(
        arguments: [
            (#"{"method":"b"}"#, #"at $.method: expected "a", received "b""#),
            (#"{"params":[]}"#, #"at $: expected a member "method""#),
            (#"{"method":"a","params":[1],"x":1}"#, #"at $: expected no member "x""#),
            (#"{"method":"a","params":[1,2]}"#, "at $.params: expected 1 elements, received 2"),
            (#"{"method":"a","params":{}}"#, "at $.params: expected an array, received {}"),
            ("[]", "at $: expected an object, received []"),
            ("1", "at $: expected an object, received 1"),
        ])
    func theFirstDifferenceIsNamed(message: String, difference: String) async throws {
        let peer = try ScriptedPeer(script: #"--> {"method":"a","params":["$x"]}"#)
        let side = RecordingSide()
        try await peer.connector.connect(receiver: side)
        side.post(message)
        let failure = await #expect(throws: ScriptFailure.self) { try await peer.finishScript() }
        #expect(failure?.difference == difference)
    }

    @Test func aResponseNeedsARequest() async throws {
        let peer = try ScriptedPeer(script: "\n<-- {\"result\":1}")
        let client = try await connected(to: peer)
        let failure = await #expect(throws: ScriptFailure.self) { try await peer.finishScript() }
        #expect(failure?.scriptLine == 2)
        #expect(failure?.expected == "a request that has no response")
        await client.close()
    }

    @Test(
        arguments: [
            "--> {", "hello", "close", "close x", "close 70000", "drop it", "<--", "<-- ", "send", "wait", "wait 5",
            "wait x s", "wait 5 h", "wait 99999 min", "wait -1s", "truncate <-- x", "truncate -1 <-- x", "binary x",
            "truncate 99999999999999999999 <-- x", "stop", "start", "connect now", "->", "--> 1 2",
        ])
    func aLineThatMakesNoSenseIsRefusedBeforeAnythingIsPlayed(line: String) throws {
        let failure = #expect(throws: ScriptFailure.self) { try PeerScript(parsing: "\n# a\ndrop\n  " + line + "\r\n") }
        #expect(failure?.scriptLine == 4)
        #expect(failure?.location.line == #line - 2)
    }

    @Test func cancellingTheWaitStopsTheScript() async throws {
        let clock = ManualClock()
        let peer = try ScriptedPeer(script: "wait 1 min", clock: clock)
        let client = try await connected(to: peer)
        let waiting = Task { try await peer.finishScript() }
        await clock.waitForSleeper(dueIn: .seconds(60))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await client.close()
    }

    /// Texts from any source never trap.
    @Test func randomLinesAreParsedOrRefused() {
        var random = SystemRandomNumberGenerator()
        let words = [
            "-->", "<--", "truncate", "9", "$a", "\"$1\"", "{", "}", "[", "]", "\"", "wait", "5s", "\n", " ", "\\u0000",
            "é", "close", "1012", "null",
        ]
        for _ in 0..<2000 {
            let text = (0..<8).compactMap { _ in words.randomElement(using: &random) }.joined(separator: " ")
            _ = try? PeerScript(parsing: text)
        }
    }
}
