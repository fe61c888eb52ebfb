// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import JSONMacrosExpansion
import MacroTestSupport
import TestTurns
import Testing

@Suite(.inTurn) struct ExpansionTests {
    @Test(arguments: try GoldenText.all(in: "Expansions"))
    func expandsTo(golden: GoldenText) throws {
        let expansion = Expansion(of: golden.source)
        #expect(expansion.diagnostics == "")
        try golden.check([("expansion", expansion.text)])
    }

    @Test(arguments: try GoldenText.all(in: "Diagnostics"))
    func reports(golden: GoldenText) throws {
        let expansion = Expansion(of: golden.source)
        #expect(!expansion.messages.isEmpty)
        #expect(!expansion.text.contains("JSONAPI."), "an error prevents generated code")
        var output = [("diagnostics", expansion.diagnostics)]
        if expansion.fixed != golden.source { output.append(("fixed", expansion.fixed)) }
        try golden.check(output)
    }

    /// After the fix-its, the macros report nothing, or only other errors.
    @Test(arguments: try GoldenText.all(in: "Diagnostics"))
    func fixesRemoveErrors(golden: GoldenText) {
        let expansion = Expansion(of: golden.source)
        guard expansion.fixed != golden.source else { return }
        // A placeholder is not a legal name until the programmer replaces it.
        let rest = Expansion(of: expansion.fixed).messages.filter { !$0.message.contains("<#") }

        #expect(rest.count < expansion.messages.count)
    }

    @Test func thereAreTexts() throws {
        #expect(try GoldenText.all(in: "Expansions").count >= 4)
        #expect(try GoldenText.all(in: "Diagnostics").count >= 20)
    }

    /// The macros implement the rule for names themselves, without the module that has it.
    @Test func namesAreLegalAsInJSONAPI() {
        let parts = ["", "a", "Z", "0", "-", "_", " ", ".", "/", "+", ",", "\u{7F}", "\u{80}", "ä", "\n", "\"", "ab:"]
        for first in parts {
            for second in parts {
                for third in parts {
                    let name = first + second + third
                    #expect(MemberNameRule.allows(name) == MemberName.isLegal(name), "\(name.debugDescription)")
                }
            }
        }
        #expect(!MemberNameRule.allows("@type"))
    }
}
