// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONMacrosExpansion
import MacroTestSupport
import TestTurns
import Testing
import WireJSONMacros

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
        var output = [("diagnostics", expansion.diagnostics)]
        if expansion.fixed != golden.source { output.append(("fixed", expansion.fixed)) }
        try golden.check(output)
    }

    /// After the fix-its, the macros report less.
    @Test(arguments: try GoldenText.all(in: "Diagnostics"))
    func fixesRemoveErrors(golden: GoldenText) {
        let expansion = Expansion(of: golden.source)
        guard expansion.fixed != golden.source else { return }
        #expect(Expansion(of: expansion.fixed).messages.count < expansion.messages.count)
    }

    @Test func thereAreTexts() throws {
        #expect(try GoldenText.all(in: "Expansions").count >= 9)
        #expect(try GoldenText.all(in: "Diagnostics").count >= 20)
    }

    /// The macro implements the rule itself, without the module that has it.
    @Test func snakeCaseIsThatOfTheEncoder() throws {
        var encoder = WireJSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let parts = ["", "a", "Z", "URL", "one", "Two", "_", "3", "é", "É", "iPhone", "aB"]
        for first in parts {
            for second in parts {
                for third in parts {
                    for fourth in ["", "X", "end"] {
                        let name = first + second + third + fourth
                        let text: [UInt8] = try encoder.encode(Named(name: name))
                        let expected = "{\"\(KeyNaming.snakeCase.name(name))\":1}"
                        #expect(String(decoding: text, as: UTF8.self) == expected, "\(name)")
                    }
                }
            }
        }
    }

    private struct Named: Encodable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var name: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: Key(stringValue: name))
        }
    }
}
