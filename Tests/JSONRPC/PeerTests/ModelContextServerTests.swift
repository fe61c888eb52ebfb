// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Sessions with a server on the official SDK of the Model Context Protocol. Its request ids are 0, 1, 2 …, and so are
/// ours here: the same ids are in use in both directions.
@Suite(.serialized, .withEachEngine, .inTurn(within: .seconds(60)))
struct ModelContextServerTests {
    @Test func toolsAreCalledAndAnswerWithTypedResults() async throws {
        try await run { client in
            let sum: ToolResult = try await client.callTool("add", ["a": 1.5, "b": 2])
            #expect(sum.texts == ["3.5"])
            #expect(sum.isError == false)
            #expect(try await client.call("ping", as: RawJSON.self).text == "{}")
        }
    }

    @Test func anErrorInAToolIsAResultAndAnUnknownMethodAnError() async throws {
        try await run { client in
            let boom: ToolResult = try await client.callTool("boom", [:])
            #expect(boom.isError == true)
            #expect(boom.texts.first?.contains("bäng") == true)
            let error = await #expect(throws: ErrorObject.self) {
                try await client.call("no/such/method", as: RawJSON.self)
            }
            #expect(error?.code == .invalidParams, "this server's answer to a method it does not know")
        }
    }

    @Test func theServerCallsBackWithIDsThatAreInFlightOurWayToo() async throws {
        try await run { client in
            // Each call makes the server call us, with ids from 0, while our calls with ids from 0 are in flight.
            let answers = try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        let result: ToolResult = try await client.callTool("ask_client", ["text": "number \(number)"])
                        return (number, result.texts)
                    }
                }
                return try await group.reduce(into: [Int: [String]]()) { $0[$1.0] = $1.1 }
            }
            #expect(answers.count == 20)
            for (number, texts) in answers { #expect(texts == ["You said: number \(number)"]) }
        }
    }

    @Test func aHandlerMayCallTheServerBeforeItAnswers() async throws {
        try await run { client in
            client.handle("roots/list") { (_: RawJSON, call: InboundCall) async throws -> Roots in
                let sum: ToolResult = try await call.session.callTool("add", ["a": 40.0, "b": 2])
                return Roots(roots: [.init(uri: "file:///\(sum.texts.joined())")])
            }
            let roots: ToolResult = try await client.callTool("roots", [:])
            #expect(roots.texts == ["file:///42.0"])
        }
    }

    @Test func progressComesInOrderBeforeTheResult() async throws {
        try await run { client in
            let progress = client.notifications("notifications/progress", as: Progress.self)
            let done: ToolResult = try await client.callTool("slow", ["steps": 5, "pause": 0], progressToken: "p1")
            #expect(done.texts == ["done"])
            var steps: [Double] = []
            for try await step in progress.values {
                #expect(step.progressToken == "p1")
                #expect(step.total == 5)
                steps.append(step.progress)
                if steps.count == 5 { break }
            }
            #expect(steps == [1, 2, 3, 4, 5])
        }
    }

    @Test func aCancelledCallIsToldToTheServerAndItsLateAnswerIsNoFault() async throws {
        try await run { client in
            let progress = client.notifications("notifications/progress", as: Progress.self)
            let events = client.events
            let endless = Task {
                try await client.callTool("slow", ["steps": 1e9, "pause": 0.01], progressToken: "p2") as ToolResult
            }
            _ = try #require(await progress.values.first { _ in true })
            endless.cancel()
            await #expect(throws: CancellationError.self) { try await endless.value }

            let late = try await events.firstIrregular(.lateResponse)
            #expect(String(decoding: late.bytes, as: UTF8.self).contains("Request cancelled"))
            let count: ToolResult = try await client.callTool("cancelled_count", [:])
            #expect(count.texts == ["1"])
        }
    }

    /// The server selects `mcp` even if it was not offered. Clients must refuse that (RFC 6455 §4.1).
    @Test func aSubprotocolThatWasNotOfferedIsRefused() async throws {
        try await PythonPeer.run(PythonPeer.modelContextServer) { url, _ in
            let error = await #expect(throws: ClientError.self) {
                _ = try await JSONRPCClient.connect(to: url, webSocket: .tested)
            }
            #expect(error?.code == .connectFailed)
        }
    }

    // MARK: The session

    private func run(
        isolation: isolated (any Actor)? = #isolation, _ body: (JSONRPCClient) async throws -> Void
    ) async throws {
        var webSocket = WebSocketConfiguration.tested
        webSocket.subprotocols = ["mcp"]
        webSocket.requiresSubprotocol = true
        var configuration = SessionConfiguration()
        configuration.calls.idGenerator = NumberIDGenerator(startingAt: 0)
        configuration.calls.cancellationNotice = .cancelled
        try await PythonPeer.run(PythonPeer.modelContextServer) { url, _ in
            try await withClient(
                to: url, webSocket: webSocket, configuration: configuration, setUp: answerTheServer
            ) { client in
                let server: Initialized = try await client.call("initialize", params: Initialize())
                #expect(server.serverInfo.name == "swift-jsonrpc peer")
                try await client.notify("notifications/initialized")
                try await body(client)
            }
        }
    }

    private func answerTheServer(_ client: JSONRPCClient) {
        client.handle("sampling/createMessage") { (params: Sampling) async throws -> SamplingAnswer in
            SamplingAnswer(content: Text(text: "You said: \(params.messages.map(\.content.text).joined())"))
        }
    }
}

extension JSONRPCCaller {
    fileprivate func callTool<R: Decodable & Sendable>(
        _ name: String, _ arguments: ByName, progressToken: String? = nil
    ) async throws -> R {
        var params: ByName = ["name": name, "arguments": arguments]
        if let progressToken { params["_meta"] = ["progressToken": progressToken] }
        return try await call("tools/call", params: params, timeout: .none)
    }
}

// The parts of the Model Context Protocol that these tests use.

private struct Initialize: Encodable, Sendable {
    var protocolVersion = "2025-06-18"
    var capabilities = ["sampling": [String: String](), "roots": [:]]
    var clientInfo = ["name": "swift-jsonrpc tests", "version": "1"]
}

private struct Initialized: Decodable, Sendable {
    struct Info: Decodable, Sendable { var name: String }

    var serverInfo: Info
}

private struct Text: Codable, Sendable {
    var type = "text"
    var text: String
}

private struct ToolResult: Decodable, Sendable {
    var content: [Text]
    var isError: Bool?

    var texts: [String] { content.map(\.text) }
}

private struct Sampling: Decodable, Sendable {
    struct Message: Decodable, Sendable { var content: Text }

    var messages: [Message]
}

private struct SamplingAnswer: Encodable, Sendable {
    var role = "assistant"
    var model = "none"
    var content: Text
}

private struct Roots: Encodable, Sendable {
    struct Root: Encodable, Sendable { var uri: String }

    var roots: [Root]
}

private struct Progress: Decodable, Sendable {
    var progressToken: String
    var progress: Double
    var total: Double?
}
