// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON
import WireJSONMacros

@JSONCodable
private struct Stair: Equatable {
    var children: [Stair] = []
    var value: Loose?
}

@JSONCodable
private struct Branch: Equatable {
    var twigs: [Twig]?
    var values: [Loose]?
}

/// This type has only `Codable`.
private struct Twig: Codable, Equatable {
    var branch: Branch
}

/// Paths in deeply nested values. The peer decides how deep they are.
@Suite(.inTurn(within: .seconds(60))) struct DeepPathsTests {
    private static func list(_ element: String, count: Int) -> String {
        "[\(Array(repeating: element, count: count).joined(separator: ",\n"))]"
    }

    /// If each container around the value caused a scan of the text, this would take minutes.
    @Test func theirCostDoesNotGrowWithTheDepth() throws {
        let depth = 240
        let values = Self.list(#"{"value":"x"}"#, count: 30)
        let innermost = #"{"unknown":\#(Self.list("1", count: 300_000)),"children":\#(values)}"#
        let text =
            String(repeating: #"{"children":["#, count: depth) + innermost + String(repeating: "]}", count: depth)
        var stair = try WireJSONDecoder().decode(Stair.self, from: Array(text.utf8))
        for _ in 0..<depth { stair = try #require(stair.children.first) }
        #expect(stair.children == Array(repeating: Stair(value: .text("x")), count: 30))
    }

    /// If the limit of paths applied to each value that is decoded through `Codable`, this would take minutes.
    @Test func theirNumberDoesNotGrowWithTheLevels() throws {
        let count = 6
        var text = #"{"values":\#(Self.list(#""x""#, count: count))}"#
        var expected = Branch(values: Array(repeating: .text("x"), count: count))
        for _ in 0..<4 {
            text = #"{"twigs":\#(Self.list(#"{"branch":\#(text)}"#, count: count))}"#
            expected = Branch(twigs: Array(repeating: Twig(branch: expected), count: count))
        }
        text = String(repeating: "\n", count: 16_000_000) + text
        #expect(try WireJSONDecoder().decode(Branch.self, from: Array(text.utf8)) == expected)
    }
}
