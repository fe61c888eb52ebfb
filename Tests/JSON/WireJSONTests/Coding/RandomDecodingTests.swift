// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

/// Types with random requests, in any order and repeated, to this module's decoder and Foundation's.
@Suite(.inTurn) struct RandomDecodingTests {
    @Test func anyQuestionsGetTheSameAnswers() async throws {
        var random = SeededGenerator(seed: 20_261_121)
        for index in 0..<DifferentialTests.count / 50 {
            if index.isMultiple(of: 100) { await Task.yield() }
            let text = Self.document(using: &random)
            let seed = random.next()
            let ours = Questions(seed: seed)
            let theirs = Questions(seed: seed)
            Questions.$current.withValue(ours) {
                ours.note("top") { _ = try WireJSONDecoder().decode(Asking.self, from: Array(text.utf8)) }
            }
            Questions.$current.withValue(theirs) {
                theirs.note("top") { _ = try JSONDecoder().decode(Asking.self, from: Data(text.utf8)) }
            }
            if ours.answers != theirs.answers {
                let place = zip(ours.answers, theirs.answers).prefix { $0 == $1 }.count
                let before = ours.answers.prefix(place).suffix(6).joined(separator: "\n")
                let (our, their) = (ours.answers.dropFirst(place).first, theirs.answers.dropFirst(place).first)
                Issue.record("\(text)\n\(before)\nours: \(our ?? "-")\ntheirs: \(their ?? "-")")
            }
        }
    }
}

extension RandomDecodingTests {
    fileprivate static func document(using random: inout SeededGenerator) -> String {
        func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 3 ? 8 : 14), using: &random) {
            case 0: "null"
            case 1: ["true", "false"].randomElement(using: &random) ?? ""
            case 2: "\(Int.random(in: -300...300, using: &random))"
            case 3: "\(Double.random(in: -1...1, using: &random))"
            case 4:
                ["1.0", "1e2", "-0", "18446744073709551615", "65536", "1e300", "0.1", "12345678901234567890123"]
                    .randomElement(using: &random) ?? ""
            case 5, 6:
                #""\#(["", "text", "k1", "\\u0041", "é\\n", "long enough to be outside", "2026-11-21T00:00:00Z", "YQ=="].randomElement(using: &random) ?? "")""#
            case 7: ["[]", "{}"].randomElement(using: &random) ?? ""
            case 8, 9, 10:
                "[\((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth + 1) }.joined(separator: ","))]"
            default:
                "{\(names().map { "\"\($0)\": \(value(depth + 1))" }.joined(separator: ", "))}"
            }
        }
        func names() -> [String] {
            let isWide = Int.random(in: 0..<20, using: &random) == 0
            let names = (0..<(isWide ? 120 : 6)).map { "k\($0)" }.filter { _ in isWide || Bool.random(using: &random) }
            return names.shuffled(using: &random).map {
                Int.random(in: 0..<8, using: &random) == 0 ? "\\u006b" + $0.dropFirst() : $0
            }
        }
        return value(0)
    }
}
