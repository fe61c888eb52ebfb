// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import ModelContextExample
import TestSupport
import TestTurns
import Testing

/// The recipe for a client of the Model Context Protocol, run against a server on the official SDK.
@Suite(.serialized, .inTurn(within: .seconds(240)))
struct ModelContextRecipeTests {
    private let user = ToolUser(roots: [Root(uri: "file:///srv/one"), Root(uri: "file:///srv/two", name: "two")]) {
        "You said: \($0.messages.compactMap(\.content.text).joined())"
    }

    @Test func toolsAreListedAndCalled() async throws {
        try await PythonPeer.run(PythonPeer.modelContextServer) { url, _ in
            try await user.withServer(at: url) { server, _ in
                let tools = try await server.allTools()
                #expect(tools.map(\.name).contains("add"))
                #expect(tools.first { $0.name == "add" }?.inputSchema["properties"]?["a"] != nil)
                #expect(try await server.text(of: "add", ["a": 1.5, "b": 2]) == "3.5")
            }
        }
    }

    @Test func theServerAsksForRootsAndForAnAnswerOfTheModel() async throws {
        try await PythonPeer.run(PythonPeer.modelContextServer) { url, _ in
            try await user.withServer(at: url) { server, _ in
                let answer = try await server.text(of: "ask_client", ["text": "hello"])
                #expect(answer == "You said: hello")
                let roots = try await server.text(of: "roots", [:])
                #expect(roots == "file:///srv/one\nfile:///srv/two")
            }
        }
    }

    @Test func aToolThatFailsAndAnUnknownToolAreFailures() async throws {
        try await PythonPeer.run(PythonPeer.modelContextServer) { url, _ in
            try await user.withServer(at: url) { server, client in
                let failure = await #expect(throws: ToolFailure.self) { try await server.text(of: "boom", [:]) }
                #expect(failure?.reason.contains("bäng") == true)
                let unknown = await #expect(throws: ToolFailure.self) { try await server.text(of: "no-such-tool", [:]) }
                #expect(unknown?.reason.contains("no-such-tool") == true)
                await #expect(throws: ErrorObject.self, "an unknown method is an error of JSON-RPC") {
                    try await client.call("no/such/method")
                }
            }
        }
    }

    @Test func aCancelledCallEndsTheTool() async throws {
        try await PythonPeer.run(PythonPeer.modelContextServer) { url, _ in
            try await user.withServer(at: url) { server, client in
                let session = try #require(client.session)
                let endless = Task { try await server.text(of: "slow", ["steps": 1_000_000_000, "pause": 0.01]) }
                // The server begins calls in order. A later call was answered, so the tool has begun.
                #expect(await untilTrue { session.callCounts.issued - session.callCounts.settled == 1 })
                #expect(try await server.text(of: "cancelled_count", [:]) == "0")
                endless.cancel()
                await #expect(throws: CancellationError.self) { try await endless.value }
                var count = "0"
                while count == "0" { count = try await server.text(of: "cancelled_count", [:]) }
                #expect(count == "1")
            }
        }
    }

    @Test func progressComesBeforeTheResult() async throws {
        try await PythonPeer.run(PythonPeer.modelContextServer) { url, _ in
            try await user.withServer(at: url) { server, client in
                var steps: [ToolProgress] = []
                let text = try await client.text(of: "slow", ["steps": 4, "pause": 0]) { steps.append($0) }
                #expect(text == "done")
                #expect(steps.map(\.progress) == [1, 2, 3, 4])
                #expect(steps.map(\.total) == [4, 4, 4, 4])

                struct Enough: Error {}
                await #expect(throws: Enough.self) {
                    try await client.text(of: "slow", ["steps": 1_000_000_000, "pause": 0.01]) { step in
                        if step.progress == 2 { throw Enough() }
                    }
                }
                while try await server.text(of: "cancelled_count", [:]) == "0" {}
                await #expect(throws: ToolFailure.self) { try await client.text(of: "boom", [:]) { _ in } }
            }
        }
    }

    @Test func theSessionBeginsAgainAfterTheServerWasKilled() async throws {
        let port = try LoopbackPort.reserve()
        var process = try await PythonPeer.start(PythonPeer.modelContextServer, ["\(port)"])
        try await user.withServer(at: "ws://127.0.0.1:\(port)/") { server, client in
            #expect(try await server.text(of: "add", ["a": 1, "b": 2]) == "3.0")
            for restart in 1...2 {
                let lost = Task { try await server.text(of: "slow", ["steps": 1_000_000_000, "pause": 0.01]) }
                let session = try #require(client.session)
                #expect(await untilTrue { session.callCounts.issued - session.callCounts.settled == 1 })
                #expect(try await server.text(of: "cancelled_count", [:]) == "0")
                process.signal(SIGKILL)
                #expect(try await process.exitStatus() == -SIGKILL)
                let error = await #expect(throws: ClientError.self) { try await lost.value }
                #expect(error?.delivery == .outcomeUnknown, "a tool is not called twice")
                // This call waits until the session has begun again: a tool call before `initialize` is an error.
                async let sum = server.text(of: "add", ["a": 40, "b": 2])
                process = try await PythonPeer.start(PythonPeer.modelContextServer, ["\(port)"])
                #expect(try await sum == "42.0", "restart \(restart)")
                #expect(try await server.text(of: "ask_client", ["text": "again"]) == "You said: again")
            }
        }
        await process.stop()
    }
}
