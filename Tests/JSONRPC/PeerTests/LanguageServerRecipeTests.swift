// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import LanguageServerClient
import TestSupport
import TestTurns
import Testing

/// The recipe for a client of a language server, run against python-lsp-server.
@Suite(.serialized, .inTurn(within: .seconds(240)))
struct LanguageServerRecipeTests {
    private static let uri = "file:///tmp/swift-jsonrpc-recipe.py"
    private let identifier = DocumentIdentifier(uri: uri)

    private func document(_ version: Int, _ text: String) -> TextDocument {
        TextDocument(uri: Self.uri, languageId: "python", version: version, text: text)
    }

    @Test func diagnosticsFollowTheDocumentsAndQuestionsAreAnswered() async throws {
        let sent = EventLog<String>()
        var configuration = SessionConfiguration()
        configuration.diagnostics.trace = { if $0.direction == .sent { sent.record($0.text) } }
        try await PythonPeer.run(PythonPeer.languageServer) { url, process in
            let workspace = Workspace()
            try await workspace.show(
                document(1, "import os\n\ndef area(width, height):\n    return width * height\n\nare\n"))
            try await workspace.withServer(at: url, configuration: configuration) { server, client in
                let progress = client.notifications("$/progress", as: JSONValue.self)
                var reports = server.diagnostics.values.makeAsyncIterator()
                try await workspace.show(
                    document(2, "import os\n\ndef area(width, height):\n    return width * height\n\nare\n"))
                var report = try #require(await reports.next())
                while report.version != 2 { report = try #require(await reports.next()) }
                #expect(
                    Set(report.diagnostics.map(\.message)) == ["'os' imported but unused", "undefined name 'are'"])

                let hover = try await server.hover(textDocument: identifier, position: Position(line: 2, character: 5))
                #expect(hover?.contents.value.contains("area(width, height)") == true)
                let nothing = try await server.hover(
                    textDocument: identifier, position: Position(line: 1, character: 0))
                #expect(nothing?.contents.value.isEmpty != false)
                let list = try await server.completion(
                    textDocument: identifier, position: Position(line: 5, character: 3))
                #expect(list?.items.contains { $0.label.hasPrefix("area") } == true)

                try await workspace.show(document(3, "print(1)\n"))
                report = try #require(await reports.next())
                while report.version != 3 { report = try #require(await reports.next()) }
                #expect(report.diagnostics.isEmpty)
                #expect(try await progress.values.first { _ in true } != nil)
            }
            #expect(!process.log.contains("Timeout"), "every request of the server was answered in time")
            #expect(sent.elements.contains { $0.contains("\"result\":null") }, "the answer to the server's request")
            #expect(!sent.elements.contains { $0.contains("\"error\"") })
        }
    }

    @Test func aCancelledQuestionIsCancelledAtTheServer() async throws {
        let sent = EventLog<String>()
        var configuration = SessionConfiguration()
        configuration.diagnostics.trace = { if $0.direction == .sent { sent.record($0.text) } }
        try await PythonPeer.run(PythonPeer.languageServer) { url, process in
            let workspace = Workspace()
            try await workspace.show(document(1, "value = 1\nvalue\n"))
            try await workspace.withServer(at: url, configuration: configuration) { server, client in
                let session = try #require(client.session)
                let place = Position(line: 1, character: 2)
                // While the server is suspended, it cannot answer before the request is cancelled. A request that is
                // cancelled before its bytes are sent needs no notice, so several requests may be necessary.
                process.signal(SIGSTOP)
                while !sent.elements.contains(where: { $0.contains("$/cancelRequest") }) {
                    let issued = session.callCounts.issued
                    let question = Task { try await server.hover(textDocument: identifier, position: place) }
                    #expect(await untilTrue { session.callCounts.issued > issued })
                    question.cancel()
                    await #expect(throws: CancellationError.self) { try await question.value }
                }
                process.signal(SIGCONT)
                #expect(try await server.hover(textDocument: identifier, position: place) != nil)
                _ = try await process.line(containing: "cancel notification")
                #expect(session.irregularityCounts[.lateResponse] == 1, "the server answers a cancelled request")
            }
        }
    }

    @Test func documentsAreOpenAgainAfterTheServerWasKilled() async throws {
        let port = try LoopbackPort.reserve()
        let workspace = Workspace()
        var process = try await PythonPeer.start(PythonPeer.languageServer, ["\(port)"])
        try await workspace.show(document(1, "first_name\n"))
        try await workspace.withServer(at: "ws://127.0.0.1:\(port)/") { server, client in
            var reports = server.diagnostics.makeAsyncIterator()
            try await workspace.show(document(2, "second_name\n"))
            try await expect("undefined name 'second_name'", version: 2, in: &reports)

            for restart in 3...4 {
                // The server is suspended, so this request is in flight when the server is killed.
                process.signal(SIGSTOP)
                let issued = client.session?.callCounts.issued ?? 0
                async let hover = server.hover(textDocument: identifier, position: Position(line: 0, character: 1))
                #expect(await untilTrue { (client.session?.callCounts.issued ?? 0) > issued })
                process.signal(SIGKILL)
                #expect(try await process.exitStatus() == -SIGKILL)
                try await workspace.show(document(restart, "name_\(restart)\n"))
                process = try await PythonPeer.start(PythonPeer.languageServer, ["\(port)"])
                let gap = try await reports.next()
                guard case .gap(let gap) = gap else {
                    Issue.record("expected a gap, found \(String(describing: gap))")
                    return
                }
                #expect(gap.reason == .reconnected)
                try await expect("undefined name 'name_\(restart)'", version: restart, in: &reports)
                #expect(try await hover != nil)
            }
        }
        await process.stop()
    }

    /// Reads up to the report for a version. A server may send reports for earlier versions.
    private func expect(
        _ message: String, version: Int, in reports: inout NotificationStream<DocumentDiagnostics>.AsyncIterator
    ) async throws {
        while let report = try await reports.next() {
            guard let report = report.value else { throw PeerFailure("a gap in place of version \(version)") }
            guard report.version == version else { continue }
            #expect(report.diagnostics.map(\.message) == [message])
            return
        }
        throw PeerFailure("the stream ended before version \(version)")
    }
}
