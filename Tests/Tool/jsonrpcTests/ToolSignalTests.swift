// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import TestTurns
import Testing

/// Signals that arrive before a command has a connection to close.
@Suite(.inTurn(within: .seconds(60))) struct ToolSignalTests {
    /// The command reads a named pipe, so it has begun when the pipe has a reader. The writer does not close it.
    @Test(
        arguments: [["generate", "PIPE"], ["call", "ws://127.0.0.1:9", "m", "--params", "@PIPE"]],
        [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)])
    func theFirstSignalEndsACommandThatReadsAFile(command: [String], signal: (Int32, Int32)) async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipe = folder.appending(path: "pipe").path(percentEncoded: false)
        try #require(mkfifo(pipe, 0o600) == 0)
        let process = try PeerProcess(ToolRun.program, command.map { $0.replacing("PIPE", with: pipe) })
        let writer = try await BlockingThread.value { open(pipe, O_WRONLY) }
        defer { close(writer) }
        process.signal(signal.0)
        #expect(try await process.exitStatus() == signal.1)
    }
}
