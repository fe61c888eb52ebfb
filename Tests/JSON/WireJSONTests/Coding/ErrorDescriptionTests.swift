// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

/// Descriptions of decoding errors say what failed, where, and why.
@Suite(.inTurn) struct ErrorDescriptionTests {
    private struct Item: Decodable {
        var id: Int8
        var name: String?
        var date: Date?
        var data: Data?
        var url: URL?
        var price: Decimal?
    }

    private struct Page: Decodable {
        var items: [Item]
    }

    private struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var elements = try decoder.unkeyedContainer()
            _ = (try elements.decode(Int.self), try elements.decode(Int.self))
        }
    }

    private func description(_ type: (some Decodable).Type, _ text: String) -> String? {
        var decoder = WireJSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            _ = try decoder.decode(type, from: Array(text.utf8))
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context)
        {
            return context.debugDescription
        } catch {
            return "\(error)"
        }
        return nil
    }

    @Test(arguments: [
        (
            #"{"items":[{"id":1},{"id":"2"}]}"#,
            "Expected a number at `$.items[1].id` (line 1, column 26), found a string."
        ),
        (#"{"items":{}}"#, "Expected an array at `$.items` (line 1, column 10), found an object."),
        ("[]", "Expected an object at `$` (line 1, column 1), found an array."),
        ("{\n  \"items\": [{}]}", "The object at `$.items[0]` (line 2, column 13) has no member `id`."),
        (#"{"items":[{"id":300}]}"#, "`Int8` cannot hold the number 300 at `$.items[0].id` (line 1, column 17)."),
        (
            #"{"items":[{"id":1,"date":"today"}]}"#,
            #"Expected a date and time of RFC 3339, such as "2024-01-31T12:00:00Z", at `$.items[0].date` (line 1, column 26)."#
        ),
        (#"{"items":[{"id":1,"data":"?"}]}"#, "Expected a Base64 string at `$.items[0].data` (line 1, column 26)."),
        (
            #"{"items":[{"id":1,"name":"\ud800"}]}"#,
            "Could not read the value, because a string escapes half of a surrogate pair, at `$.items[0].name` (line 1, column 26)."
        ),
        (
            #"{"items":[{"id":}]}"#,
            "The text is not valid JSON: expected a value at line 1, column 17 (byte 16)."
        ),
        ("", "The text is not valid JSON: the text is empty at line 1, column 1 (byte 0)."),
    ])
    func errorNamesItsPathLineAndColumn(text: String, expected: String) {
        #expect(description(Page.self, text) == expected)
    }

    @Test func arrayThatIsTooShortTellsItsLength() {
        #expect(description(Pair.self, " [1]") == "The array at `$` (line 1, column 2) has no element 1.")
    }

    @Test(arguments: [
        (#"{"a.b":{"c d":"x"}}"#, #"$["a.b"]["c d"]"#), (#"{"":{"é":"x"}}"#, #"$[""].é"#),
        (#"{"1":{"\u0061":"x"}}"#, "$.1.a"), (#"{"\"":{"\n":"x"}}"#, #"$["\""]["\n"]"#),
    ])
    func namesThatAreNotPlainAreQuoted(json: String, path: String) throws {
        let text = try #require(description([String: [String: Int]].self, json))
        #expect(text.contains("`\(path)`"), "\(text)")
    }

    @Test func longNamesAndPathsAreCut() throws {
        let name = String(repeating: "n", count: 10_000)
        let long = try #require(description([String: Int].self, #"{"\#(name)":"x"}"#))
        #expect(long.contains("nnn…`") && long.count < 400)
        let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let text = try #require(description(Nested.self, deep))
        #expect(text.contains("…") && text.count < 400)
    }

    /// Descends to the innermost array, and expects a number there.
    private struct Nested: Decodable {
        init(from decoder: any Decoder) throws {
            var elements = try decoder.unkeyedContainer()
            if elements.isAtEnd { _ = try Int(from: decoder) } else { _ = try elements.decode(Nested.self) }
        }
    }
}
