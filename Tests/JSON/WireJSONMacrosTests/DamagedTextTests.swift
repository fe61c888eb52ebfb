// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing
import WireJSONMacros

@Suite("Generated code and texts that do not fit", .inTurn) struct DamagedTextTests {
    /// Decodes a text in both ways, and encodes the results.
    private func check<T: Codable & Equatable>(_ type: T.Type, _ text: [UInt8]) -> Bool {
        let direct = verdict { try WireJSONDecoder().decode(type, from: text) }
        let plain = verdict { try Ways.throughCodable().decode(type, from: text) }
        #expect(direct == plain, "\(type) from \(String(decoding: text, as: UTF8.self))")
        guard case .success(let value) = direct else { return false }
        let written = verdict { try WireJSONEncoder().encode(value) as [UInt8] }
        #expect(written == verdict { try Ways.throughCodable().encode(value) as [UInt8] })
        return true
    }

    /// The kinds of damage: bytes, words and structure.
    static func damage(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var text = text
        guard !text.isEmpty else { return text }
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let place = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: text[place] = UInt8.random(in: 0...255, using: &random)
            case 1: text[place] = Array("{}[]\",:\\ 0-.eEtfn".utf8).randomElement(using: &random) ?? 0
            case 2: text.remove(at: place)
            case 3: text.removeSubrange(place...)
            case 4: text.insert(contentsOf: Self.words.randomElement(using: &random) ?? [], at: place)
            case 5:  // A part comes twice.
                let end = Int.random(in: place...text.count, using: &random)
                text.insert(contentsOf: text[place..<end], at: place)
            case 6:  // A value becomes another one.
                guard let start = text[place...].firstIndex(of: UInt8(ascii: ":")),
                    let end = text[start...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") })
                else { break }
                text.replaceSubrange((start + 1)..<end, with: Self.words.randomElement(using: &random) ?? [])
            default:  // A member comes again at the end of its object, or at the start.
                guard let start = text[place...].firstIndex(of: UInt8(ascii: ",")),
                    let end = text[(start + 1)...].firstIndex(where: {
                        $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}")
                    })
                else { break }
                let member = Array(text[start..<end])
                text.insert(contentsOf: member, at: end)
            }
            if text.isEmpty { break }
        }
        return text
    }

    private static let words: [[UInt8]] = [
        "null", "true", "1", "-0", "1.0", "1e2", "1e400", "99999999999999999999", "300", "\"\"", "\"x\"", "\"\\u0041\"",
        "\"\\ud800\"", "{}", "[]", "[null]", "{\"id\":1}", " ", "\n\t", ",", "\"unknown\":[1,{}],",
        "\"na\\u006de\":\"e\",",
        "\"id\":2,", "\u{FEFF}", "\"_0\":", "[[[[", "nul", "0.1234567890123456789", "12345678901234567",
    ].map { Array($0.utf8) }

    private func checkDamaged<T: Codable & Equatable>(_ values: [T], seed: UInt64, rounds: Int = 1500) throws {
        var random = SeededGenerator(seed: seed)
        var accepted = 0
        for value in values {
            var encoder = WireJSONEncoder()
            for formatting in [[], WireJSONEncoder.OutputFormatting.prettyPrinted] {
                encoder.outputFormatting = formatting
                let text: [UInt8] = try encoder.encode(value)
                #expect(check(T.self, text))
                for _ in 0..<(rounds / values.count / 2) where check(T.self, Self.damage(text, &random)) {
                    accepted += 1
                }
            }
        }
        #expect(accepted > 0, "some damage is harmless")
    }

    @Test func flat() throws { try checkDamaged([Flat()], seed: 1) }
    @Test func required() throws { try checkDamaged([SameCodingTests.required], seed: 2) }
    @Test func renamed() throws {
        try checkDamaged([Renamed(userName: "u", identifier: 1, odd: "o")], seed: 3)
    }
    @Test func trees() throws { try checkDamaged([SameCodingTests.tree], seed: 4) }
    @Test func knownTypes() throws { try checkDamaged([SameCodingTests.known], seed: 5) }
    @Test func enumerations() throws {
        try checkDamaged(SameCodingTests.payloads, seed: 6)
        try checkDamaged([Color.red, .green, .default], seed: 7, rounds: 600)
        try checkDamaged([[Level.low, .high]], seed: 8, rounds: 600)
        try checkDamaged([RenamedPayload.firstCase(userName: "a", 1), .default(theValue: [.red])], seed: 9)
    }
    @Test func mixedTypes() throws { try checkDamaged([SameCodingTests.mixed], seed: 10) }
    @Test func withinCodable() throws {
        try checkDamaged(
            [
                Outer(
                    trees: [SameCodingTests.tree], flat: nil, table: ["a": SameCodingTests.required],
                    payload: .one(1))
            ], seed: 11)
    }
    @Test func choices() throws {
        try checkDamaged(
            [Choices(choices: [.text("a"), .tree(SameCodingTests.tree)], last: SameCodingTests.tree)], seed: 12)
    }

    @Test func deepTexts() throws {
        for depth in [1, 100, 127, 128, 255, 256, 257] {
            let text =
                String(repeating: #"{"name":"n","children":["#, count: depth) + String(repeating: "]}", count: depth)
            _ = check(Tree.self, Array(text.utf8))
        }
        // A type with only `Codable` between directly read ones, at each level. The innermost value does not fit.
        for depth in [1, 5, 40] {
            let text =
                String(repeating: #"{"more":null,"link":{"node":"#, count: depth) + "{}"
                + String(repeating: "}}", count: depth)
            _ = check(Node.self, Array(text.utf8))
            _ = check(Node.self, Array(text.replacing("{}", with: #"{"more":"x"}"#).utf8))
        }
    }

    /// Reading ends with the first failure of a document. Work that doubles with each level would never end.
    @Test(.timeLimit(.minutes(1))) func failuresDoNotMultiply() throws {
        var text = "{}"
        for level in 0..<60 { text = #"{"more":\#(level == 0 ? "7" : "null"),"link":{"node":\#(text)}}"# }
        #expect(!check(Node.self, Array(text.utf8)))
    }
}

@JSONCodable struct Node: Equatable {
    var more: String?
    var link: Link?
}

/// This type has only `Codable`.
final class Link: Codable, Equatable {
    let node: Node

    static func == (left: Link, right: Link) -> Bool { left.node == right.node }
}
