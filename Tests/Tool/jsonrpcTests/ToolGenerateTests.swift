// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

/// `jsonrpc generate` as a process.
@Suite(.inTurn(within: .seconds(60))) struct ToolGenerateTests {
    @Test func theCodeHasNoControlCharacters() async throws {
        let document = #"""
            {"openrpc":"1.3.2","info":{"title":"T","version":"1","description":"\u001b]0;T\u0007\u001b[2J \u202e"},"methods":[]}
            """#
        let run = try await ToolRun.run(["generate", "-"], input: document)
        #expect(run.status == 0)
        #expect(run.output.contains(#"/// \u{1B}]0;T\u{07}\u{1B}[2J \u{202E}"#), "\(run.output)")
        #expect(!run.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\u{202E}" })
    }
}
