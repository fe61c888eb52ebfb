// swift-jsonrpc · SPDX-License-Identifier: MIT

import Testing
import TestTurns
import WireJSON

/// Objects with so many members that an index is used to search and write them.
@Suite(.inTurn) struct WideObjectTests {
    /// RFC 8259 §4: the last of two members with one name counts, whichever is requested first.
    @Test func lastOfTwoMembersWithOneNameCounts() throws {
        for (first, second) in [("name", "name"), ("name", #"n\u0061me"#), (#"n\u0061me"#, "name")] {
            for place in [0, 30, 63, 64, 65, 200, 300] {
                let others = (0..<300).map { "other\($0)" }
                let names = [first] + others.prefix(place) + [second] + others.dropFirst(place)
                let text = object(names)
                for asked in [["name"], ["other299", "name"], ["name", "other250", "name"], ["none", "name"]] {
                    let found = try asked.map(members(of: text).value)
                    #expect(found.last == place + 1, "\(first), \(second) at \(place), asked for \(asked)")
                }
                #expect(try members(of: text).names == ["name"] + others)
                #expect(throws: DecodingError.self) { try members(of: text, duplicates: .refuse) }
            }
        }
    }

    /// Names of the same length, beginning and end.
    @Test(arguments: [49, 65, 2000]) func namesThatDifferInTheMiddleAreToldApart(count: Int) throws {
        let names = (0..<count).map { "beginning\($0 + 1000)end" }
        let members = try members(of: object(names), duplicates: .refuse)
        #expect(members.names == names)
        for (position, name) in names.enumerated().reversed() { #expect(try members.value(of: name) == position) }
        for other in ["beginning0999end", "beginning", "", "beginning1000enD"] {
            #expect(try members.value(of: other) == nil)
            #expect(!members.contains(other))
        }
    }

    /// Objects within an object. Some of their names are the same.
    @Test func namesBelongToTheirObject() throws {
        let inner = (0..<100).map { "\"inner\($0)\":\($0)" }.joined(separator: ",")
        let outer = (0..<100).map { "\"inner\($0 + 50)\":{\(inner)}" }.joined(separator: ",")
        let members = try members(of: Array("{\(outer)}".utf8))
        for number in (50..<150).reversed() {
            let nested = try #require(try members.nested("inner\(number)"))
            #expect(try nested.value(of: "inner3") == 3)
            #expect(try nested.value(of: "inner99") == 99)
            #expect(try nested.value(of: "inner120") == nil)
        }
        #expect(try members.nested("inner3") == nil)
    }

    /// RFC 8259 §8.3: names are compared by their bytes. No requested name has half of a surrogate pair (§8.2).
    @Test func unusualNamesAreFound() throws {
        let unusual = ["", "\u{E9}", "e\u{301}", #"\u00e8"#, #"\ud83d\ude00"#, #"a\/b"#, #"\n"#, #"\ud800"#]
        let members = try members(of: object((0..<100).map { "other\($0)" } + unusual))
        let asked = ["", "\u{E9}", "e\u{301}", "\u{E8}", "\u{1F600}", "a/b", "\n"]
        for (position, name) in asked.enumerated() {
            #expect(try members.value(of: name) == 100 + position, "\(name.debugDescription)")
        }
        #expect(try members.value(of: "e\u{300}") == nil)
        #expect(try members.value(of: "\u{FFFD}") == nil)
        #expect(members.names.suffix(7) == asked[...])
    }

    @Test func convertedNamesAreFound() throws {
        let names = (0..<200).map { "some_name_\($0)" } + ["some_name_7"]
        let members = try members(of: object(names), keys: .convertFromSnakeCase)
        for number in 8..<200 { #expect(try members.value(of: "someName\(number)") == number) }
        #expect(try members.value(of: "someName7") == 200)
        #expect(try members.value(of: "some_name_8") == nil)
        #expect(Set(members.names) == Set((0..<200).map { "someName\($0)" }))
    }

    @Test func laterMemberReplacesTheEarlierInAWideObject() throws {
        let names = (0..<500).map { "name \($0)\n" }
        let text: [UInt8] = try WireJSONEncoder().encode(
            Wide(names: names + names.prefix(100) + [names[499], names[0]]))
        let decoded = try WireJSONDecoder().decode([String: Int].self, from: text)
        var expected = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        for (index, name) in names.prefix(100).enumerated() { expected[name] = 500 + index }
        expected[names[499]] = 600
        expected[names[0]] = 601
        #expect(decoded == expected)
        #expect(try RawJSON(validating: text).decode(as: JSONValue.self).objectValue?.count == 500)
    }

    @Test func treeOfAWideObjectKeepsTheLastOfEachName() throws {
        let members = (0..<300).map { #""n\#($0 % 200)":\#($0)"# } + [#""\u006e5":-5"#]
        let value = try JSONValue(parsing: "{\(members.joined(separator: ","))}")
        #expect(value.objectValue?.count == 200)
        #expect(value["n0"]?.intValue == 200)
        #expect(value["n150"]?.intValue == 150)
        #expect(value["n5"]?.intValue == -5)
    }
}

extension WideObjectTests {
    private struct Wide: Encodable {
        var names: [String]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Name.self)
            for (index, name) in names.enumerated() { try container.encode(index, forKey: Name(name)) }
        }
    }

    /// The members of an object, requested by name.
    private struct Members: Decodable {
        private let container: KeyedDecodingContainer<Name>

        init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Name.self) }

        var names: [String] { container.allKeys.map(\.stringValue) }

        func value(of name: String) throws -> Int? { try container.decodeIfPresent(Int.self, forKey: Name(name)) }
        func contains(_ name: String) -> Bool { container.contains(Name(name)) }
        func nested(_ name: String) throws -> Members? {
            try container.decodeIfPresent(Members.self, forKey: Name(name))
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    /// The text of an object in which the value of each name is its position. Names may contain escapes.
    private func object(_ names: [String]) -> [UInt8] {
        Array("{\(names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ","))}".utf8)
    }

    private func members(
        of text: [UInt8], duplicates: WireJSONDecoder.DuplicateMemberStrategy = .useLast,
        keys: WireJSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    ) throws -> Members {
        var decoder = WireJSONDecoder()
        decoder.duplicateMemberStrategy = duplicates
        decoder.keyDecodingStrategy = keys
        return try decoder.decode(Members.self, from: text)
    }
}
