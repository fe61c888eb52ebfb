// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TestSupport
import TestTurns
import Testing

/// A session with python-lsp-server, from `initialize` to `shutdown`: both sides call and notify.
@Suite(.serialized, .withEachEngine, .inTurn(within: .seconds(60)))
struct LanguageServerTests {
    @Test func aSessionFromInitializeToShutdown() async throws {
        try await PythonPeer.run(PythonPeer.languageServer) { url, server in
            let editor = Editor()
            try await withClient(to: url, setUp: editor.setUp) { client in
                let diagnostics = client.notifications("textDocument/publishDiagnostics", as: Diagnostics.self)
                let progress = client.notifications("$/progress", as: Progress.self)

                let server: Initialized = try await client.call("initialize", params: Initialize())
                #expect(server.serverInfo.name == "pylsp")
                #expect(server.capabilities.hoverProvider)
                try await client.notify("initialized", params: [String: String]())

                let text = "import os\n\ndef area(width, height):\n    return width * heigth\n\nare\n"
                try await client.notify("textDocument/didOpen", params: DidOpen(text: text))
                let found = try #require(await diagnostics.values.first { _ in true })
                #expect(found.uri == Document.uri)
                #expect(found.version == 1)
                #expect(
                    Set(found.diagnostics.map(\.message)) == [
                        "'os' imported but unused", "undefined name 'heigth'", "undefined name 'are'",
                    ])

                // Before it reported progress, the server asked for permission, by a request with its own id.
                let begin = try #require(await progress.values.first { _ in true })
                #expect(begin.value.kind == "begin")
                #expect(editor.tokens.first == begin.token)

                let hover: Hover = try await client.call("textDocument/hover", params: At(line: 2, character: 5))
                #expect(hover.contents.value.contains("area(width, height)"))
                let completion: Completion = try await client.call(
                    "textDocument/completion", params: At(line: 5, character: 3))
                #expect(completion.items.contains { $0.label.hasPrefix("area") })

                #expect(try await client.call("shutdown", as: RawJSON.self) == .null)
                try await client.notify("exit")
            }
            #expect(!server.log.contains("Timeout"), "every request of the server was answered in time")
        }
    }

    @Test func diagnosticsFollowEachChange() async throws {
        try await PythonPeer.run(PythonPeer.languageServer) { url, _ in
            let editor = Editor()
            try await withClient(to: url, setUp: editor.setUp) { client in
                let diagnostics = client.notifications("textDocument/publishDiagnostics", as: Diagnostics.self)
                _ = try await client.call("initialize", params: Initialize(), as: Initialized.self)
                try await client.notify("initialized", params: [String: String]())
                try await client.notify("textDocument/didOpen", params: DidOpen(text: "unknown_name\n"))
                var reports = diagnostics.values.makeAsyncIterator()
                #expect(try await reports.next()?.diagnostics.map(\.message) == ["undefined name 'unknown_name'"])
                try await client.notify("textDocument/didChange", params: DidChange(version: 2, text: "print(1)\n"))
                let second = try #require(await reports.next())
                #expect(second.version == 2)
                #expect(second.diagnostics.isEmpty)
            }
        }
    }

    @Test func requestsThatTheServerDoesNotKnowAreErrorsOfThoseCallsAlone() async throws {
        try await PythonPeer.run(PythonPeer.languageServer) { url, _ in
            try await withClient(to: url, setUp: Editor().setUp) { client in
                _ = try await client.call("initialize", params: Initialize(), as: Initialized.self)
                let error = await #expect(throws: ErrorObject.self) {
                    try await client.call("textDocument/noSuchRequest", params: [String: String](), as: RawJSON.self)
                }
                #expect(error?.code == .methodNotFound)
                #expect(try await client.call("shutdown", as: RawJSON.self) == .null)
            }
        }
    }

    /// The server silently drops arrays, so only a timeout or a cancellation ends a batch.
    @Test func aBatchThatTheServerIgnoresCanBeCancelled() async throws {
        try await PythonPeer.run(PythonPeer.languageServer) { url, _ in
            try await withClient(to: url, setUp: Editor().setUp) { client in
                let ignored = Task { try await client.batch([.call("shutdown"), .call("shutdown")], timeout: .none) }
                let server: Initialized = try await client.call("initialize", params: Initialize())
                #expect(server.serverInfo.name == "pylsp")
                ignored.cancel()
                await #expect(throws: CancellationError.self) { try await ignored.value }
                #expect(try await client.call("shutdown", as: RawJSON.self) == .null)
            }
        }
    }
}

/// The editor's side: answers the server's requests.
private final class Editor: Sendable {
    private let seenTokens = Mutex<[String]>([])

    var tokens: [String] { seenTokens.withLock { $0 } }

    func setUp(_ client: JSONRPCClient) {
        struct Create: Decodable, Sendable { var token: String }
        client.handle("window/workDoneProgress/create") { [weak self] (params: Create) async throws -> RawJSON in
            self?.seenTokens.withLock { $0.append(params.token) }
            return .null
        }
        client.handle("workspace/configuration") { (_: RawJSON) async throws -> [RawJSON] in [] }
    }
}

// The parts of the Language Server Protocol that these tests use.

private enum Document {
    static let uri = "file:///tmp/swift-jsonrpc-peer-test.py"
}

private struct Initialize: Encodable, Sendable {
    struct Capabilities: Encodable, Sendable {
        var window = ["workDoneProgress": true]
    }

    var processId: Int?
    var rootUri: String?
    var capabilities = Capabilities()
}

private struct Initialized: Decodable, Sendable {
    struct Capabilities: Decodable, Sendable { var hoverProvider: Bool }
    struct Info: Decodable, Sendable { var name: String }

    var capabilities: Capabilities
    var serverInfo: Info
}

private struct DidOpen: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var uri = Document.uri
        var languageId = "python"
        var version = 1
        var text: String
    }

    var textDocument: Item

    init(text: String) { textDocument = Item(text: text) }
}

private struct DidChange: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var uri = Document.uri
        var version: Int
    }

    var textDocument: Item
    var contentChanges: [[String: String]]

    init(version: Int, text: String) {
        textDocument = Item(version: version)
        contentChanges = [["text": text]]
    }
}

private struct At: Encodable, Sendable {
    struct Position: Encodable, Sendable { var line, character: Int }

    var textDocument = ["uri": Document.uri]
    var position: Position

    init(line: Int, character: Int) { position = Position(line: line, character: character) }
}

private struct Diagnostics: Decodable, Sendable {
    struct Diagnostic: Decodable, Sendable { var message: String }

    var uri: String
    var version: Int?
    var diagnostics: [Diagnostic]
}

private struct Progress: Decodable, Sendable {
    struct Value: Decodable, Sendable { var kind: String }

    var token: String
    var value: Value
}

private struct Hover: Decodable, Sendable {
    struct Contents: Decodable, Sendable { var value: String }

    var contents: Contents
}

private struct Completion: Decodable, Sendable {
    struct Item: Decodable, Sendable { var label: String }

    var items: [Item]
}
