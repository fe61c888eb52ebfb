// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn) struct HistoryFileTests {
    @Test func linesWithASecretAndRepetitionsAreNotKept() {
        #expect(HistoryFile.keeps("add 1", after: nil))
        #expect(!HistoryFile.keeps(" login secret", after: nil))
        #expect(!HistoryFile.keeps("\tlogin secret", after: nil))
        #expect(!HistoryFile.keeps("", after: nil))
        #expect(!HistoryFile.keeps("add 1", after: "add 1"))
        #expect(HistoryFile.keeps("add 1", after: "add 2"))
        #expect(!HistoryFile.keeps("a\u{1B}[2J", after: nil))
        #expect(!HistoryFile.keeps(String(repeating: "x", count: 16 << 10 + 1), after: nil))
    }

    @Test func linesAreAddedToAFileThatOnlyItsOwnerReads() async throws {
        try await withTemporaryDirectory { folder in
            let file = HistoryFile(path: folder + "/state/jsonrpc/history")
            #expect(file.load() == [])
            file.makeFolder()
            file.append("add 1")
            file.append("größe 2")
            #expect(file.load() == ["add 1", "größe 2"])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let folderMode = try FileManager.default.attributesOfItem(atPath: folder + "/state")[.posixPermissions]
            #expect(folderMode as? Int == 0o700)
        }
    }

    @Test func theFileIsBounded() async throws {
        try await withTemporaryDirectory { folder in
            let file = HistoryFile(path: folder + "/history")
            let lines = (0..<2001).map { "line \($0)" }
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: file.path))
            #expect(file.load() == Array(lines.suffix(1000)))
            let text = try String(contentsOfFile: file.path, encoding: .utf8)
            #expect(text.split(separator: "\n").count == 1000)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["history"])
        }
    }

    @Test func aFileThatCannotBeUsedIsNoFault() async throws {
        try await withTemporaryDirectory { folder in
            for path in [folder, folder + "/none/history", "/dev/null", "/proc/none/x"] {
                let file = HistoryFile(path: path)
                file.append("add 1")
                #expect(file.load() == [])
            }
            HistoryFile(path: "/proc/none/x").makeFolder()
            let binary = HistoryFile(path: folder + "/binary")
            try Data([0xFF, 0x00, 0x0A, 0x61, 0x0A]).write(to: URL(filePath: binary.path))
            #expect(binary.load() == ["a"])
        }
    }
}
