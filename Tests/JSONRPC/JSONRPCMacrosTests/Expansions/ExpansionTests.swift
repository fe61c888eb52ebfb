// swift-jsonrpc · SPDX-License-Identifier: MIT

import MacroTestSupport
import TestTurns
import Testing

/// What is written out, to be read. That it works is for the tests that run it.
@Suite(.inTurn) struct ExpansionTests {
    @Test func thereAreTexts() throws {
        #expect(try GoldenText.all(in: "Expansions").count >= 6)
    }

    @Test(arguments: try GoldenText.all(in: "Expansions"))
    func expandsTo(golden: GoldenText) throws {
        let expansion = Expansion(of: golden.source)
        #expect(expansion.diagnostics == "")
        try golden.check([("expansion", expansion.text)])
    }
}
