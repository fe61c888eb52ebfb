// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCMacros
import JSONRPCWebSocket

/// Prints the diagnostics of a file each time it is saved, also after the language server was restarted.
@main
struct Program {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard [1, 2].contains(arguments.count) else {
            print("usage: swift run LanguageServerClient FILE [URL]")
            exit(2)
        }
        let file = URL(filePath: arguments[0])
        let url = arguments.count == 2 ? arguments[1] : "ws://127.0.0.1:2087/"
        do {
            try await runUntilInterrupted { try await watch(file, with: url) }
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func watch(_ file: URL, with url: String) async throws {
        let workspace = Workspace()
        try await workspace.withServer(at: url) { server, _ in
            // The stream begins here, before the server gets the file.
            let reports = server.diagnostics
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await show(file, in: workspace) }
                group.addTask {
                    for try await report in reports { printLines(of: report, file.lastPathComponent) }
                }
            }
        }
    }

    /// Shows the file to the server, now and after each change.
    private static func show(_ file: URL, in workspace: Workspace) async throws {
        let language = file.pathExtension == "py" ? "python" : file.pathExtension
        var text = try String(contentsOf: file, encoding: .utf8)
        for version in 1... {
            try await workspace.show(
                TextDocument(uri: file.absoluteString, languageId: language, version: version, text: text))
            let shown = text
            while text == shown {
                try await Task.sleep(for: .milliseconds(200))
                // While an editor replaces the file, it cannot be read.
                text = (try? String(contentsOf: file, encoding: .utf8)) ?? shown
            }
        }
    }

    private static func printLines(of report: NotificationElement<DocumentDiagnostics>, _ name: String) {
        switch report {
        case .gap: print("\(name): connected again")
        case .value(let report) where report.diagnostics.isEmpty: print("\(name): no diagnostics")
        case .value(let report):
            for diagnostic in report.diagnostics {
                print("\(name):\(diagnostic.range.start.line &+ 1): \(diagnostic.message)")
            }
        }
        fflush(nil)  // A pipe would keep the lines.
    }
}
