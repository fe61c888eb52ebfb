// swift-jsonrpc · SPDX-License-Identifier: MIT

import MacroTestSupport
import TestTurns
import Testing

/// Generated code as text, for review. Other tests run it.
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
