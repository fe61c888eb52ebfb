// swift-jsonrpc · SPDX-License-Identifier: MIT

import MacroTestSupport
import TestTurns
import Testing

@Suite(.inTurn) struct DiagnosticTests {
    @Test func thereAreTexts() throws {
        #expect(try GoldenText.all(in: "Diagnostics").count >= 40)
    }

    @Test(arguments: try GoldenText.all(in: "Diagnostics"))
    func says(golden: GoldenText) throws {
        let expansion = Expansion(of: golden.source)
        #expect(!expansion.messages.isEmpty, "what cannot work must be told")
        #expect(!expansion.text.contains("jsonrpc"), "nothing is made while there is an error")
        var made = [("diagnostics", expansion.diagnostics)]
        if expansion.fixed != golden.source { made.append(("fixed", expansion.fixed)) }
        try golden.check(made)
    }

    /// A fix-it leads to code that the macros accept, or that has a different error.
    @Test(arguments: try GoldenText.all(in: "Diagnostics"))
    func fixesRemoveWhatTheyAreFor(golden: GoldenText) {
        let expansion = Expansion(of: golden.source)
        guard expansion.fixed != golden.source else { return }
        let before = Set(expansion.messages.map(\.message))
        #expect(Expansion(of: expansion.fixed).messages.allSatisfy { !before.contains($0.message) })
    }
}
