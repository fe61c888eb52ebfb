// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The built `jsonrpc`, run as a process of its own.
struct ToolRun {
    var status: Int32
    var output: String
    var diagnostics: String

    /// The program in the same folder as the tests.
    static var program: String { Checkout.program("jsonrpc") }

    /// Runs the tool to its end.
    static func run(
        program: String = program, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> ToolRun {
        let folder = try scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let (inputFile, outputFile, diagnosticsFile) = (
            folder.appending(path: "input"), folder.appending(path: "output"), folder.appending(path: "diagnostics")
        )
        try Data(input.utf8).write(to: inputFile)
        let redirections = [inputFile, outputFile, diagnosticsFile].map { $0.path(percentEncoded: false) }
        let process = try PeerProcess(
            "/bin/sh",
            ["-c", #"in=$1 out=$2 err=$3; shift 3; exec "$@" <"$in" >"$out" 2>"$err""#, "sh"] + redirections
                + [program] + arguments, environment: environment)
        let status = try await process.exitStatus()
        return ToolRun(
            status: status, output: try String(contentsOf: outputFile, encoding: .utf8),
            diagnostics: try String(contentsOf: diagnosticsFile, encoding: .utf8))
    }

    /// The lines of the output, sorted, because answers arrive in any order.
    var sortedLines: [String] { output.split(separator: "\n").map(String.init).sorted() }

    /// An empty folder.
    static func scratchFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "jsonrpc-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Runs `jsonrpc serve` while `body` runs, then interrupts it and checks its exit.
    static func withServer<Result>(
        identity: Certificates.Pair? = nil, options: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ body: (_ url: String) async throws -> sending Result
    ) async throws -> sending Result {
        let options = options + (identity.map { ["--cert", $0.certificate, "--key", $0.key] } ?? [])
        // Standard output alone: the port must be its first line.
        let server = try PeerProcess(
            "/bin/sh", ["-c", #"exec "$@" 2>/dev/null"#, "sh", program, "serve", "--port", "0"] + options)
        let port = try #require(Int(try await server.firstLine()))
        do {
            let result = try await body("\(identity == nil ? "ws" : "wss")://127.0.0.1:\(port)/")
            server.signal(SIGINT)
            #expect(try await server.exitStatus() == 0)
            return result
        } catch {
            await server.stop()
            throw error
        }
    }
}
