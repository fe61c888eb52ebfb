// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

/// Types that try several forms cause an error for many of their values. Each error has its path and place.
@Suite(.inTurn(within: .seconds(60))) struct ManyErrorsTests {
    /// A number or a string.
    private enum Scalar: Decodable, Equatable {
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    /// If each error caused a search from the start of the text, this would take several minutes.
    @Test func theirCostGrowsWithTheLengthOfTheText() throws {
        let count = 100_000
        let lines = (0..<count).map { #"{"value": "\#($0)"}"# }.joined(separator: ",\n")
        let values = try WireJSONDecoder().decode([[String: Scalar]].self, from: Array("[\(lines)]".utf8))
        #expect(values.count == count)
        #expect(values.last == ["value": .text("99999")])
    }

    /// Asks for values as numbers, and keeps the descriptions of the errors.
    private struct Questions: Decodable {
        static let order = CodingUserInfoKey(rawValue: "order")
        let descriptions: [String]

        private enum Key: String, CodingKey { case rows, first, second }

        init(from decoder: any Decoder) throws {
            var rows = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .rows)
            var members: [KeyedDecodingContainer<Key>] = []
            while !rows.isAtEnd { members.append(try rows.nestedContainer(keyedBy: Key.self)) }
            let order = try #require(Self.order.flatMap { decoder.userInfo[$0] as? [Int] })
            descriptions = order.map { number in
                do {
                    return "\(try members[number / 2].decode(Int.self, forKey: number % 2 == 0 ? .first : .second))"
                } catch DecodingError.typeMismatch(_, let context) {
                    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
                    return path.joined(separator: "/") + ": " + context.debugDescription
                } catch {
                    return "\(error)"
                }
            }
        }
    }

    /// An error is found from the last one, which may be before or after it, on another line or in another array.
    @Test(arguments: 0..<20) func theirOrderDoesNotMatter(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let lines = (0..<12).map { _ in
            let breaks = String(repeating: "\n", count: Int.random(in: 0...2, using: &random))
            return #"{"first": "", \#(breaks)"second":[1]}"#
        }
        let text = #"{"other": [[1], 2],"# + "\n" + #""rows": ["# + lines.joined(separator: ",\n") + "]}"
        let order = (0..<60).map { _ in Int.random(in: 0..<24, using: &random) }
        var decoder = WireJSONDecoder()
        decoder.userInfo[try #require(Questions.order)] = order
        let descriptions = try decoder.decode(Questions.self, from: Array(text.utf8)).descriptions
        #expect(descriptions == order.map { expectation($0, in: text) })
    }

    /// Computes lines and columns in another way.
    private func expectation(_ number: Int, in text: String) -> String {
        let isFirst = number % 2 == 0
        let mark = isFirst ? #""first": "# : #""second":"#
        let before = text.components(separatedBy: mark).prefix(number / 2 + 1).joined(separator: mark) + mark
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        let name = isFirst ? "first" : "second"
        return "rows/\(number / 2)/\(name): Expected a number at `$.rows[\(number / 2)].\(name)` "
            + "(line \(lines.count), column \((lines.last?.utf8.count ?? 0) + 1)), "
            + "found \(isFirst ? "a string" : "an array")."
    }
}
