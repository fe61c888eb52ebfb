// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestTurns
import Testing

@Suite(.inTurn) struct VersionTests {
    @Test func theVersionIsThatOfTheChangelog() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let newest = changelog.split(separator: "\n").first { $0.hasPrefix("## ") }
        #expect(newest?.contains(packageVersion) == true)
    }
}
