// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

@Suite("Streaming", .inTurn)
struct StreamingTests {
    static func split(
        _ text: String, _ framing: JSONElementSplitter.Framing, pieces: Int, limit: Int = 1 << 20
    ) throws -> [String] {
        var splitter = JSONElementSplitter(framing: framing, maximumValueSize: limit)
        var values: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try splitter.append(bytes[start..<min(start + pieces, bytes.count)]) { values.append($0.text) }
        }
        try splitter.finish { values.append($0.text) }
        return values
    }

    static let arrays: [(String, [String])] = [
        ("[]", []), (" [ ] \n", []), ("[1]", ["1"]), ("[1,2 , 3]", ["1", "2", "3"]),
        (
            #"["a\"],[",{"b":["]"]},[[],{}], null,-1.5e3 ,true]"#,
            [#""a\"],[""#, #"{"b":["]"]}"#, "[[],{}]", "null", "-1.5e3", "true"]
        ),
        ("[\"é😀\\\\\",\"\\u0041\"]", ["\"é😀\\\\\"", "\"\\u0041\""]),
    ]

    @Test(arguments: arrays)
    func elementsComeWhereverThePiecesEnd(text: String, elements: [String]) throws {
        for pieces in 1...text.utf8.count { #expect(try Self.split(text, .array, pieces: pieces) == elements) }
        for pieces in 1...text.utf8.count {
            let lines = elements.joined(separator: "\n")
            #expect(try Self.split(lines, .sequence, pieces: pieces) == elements)
            #expect(try Self.split(lines + "\r\n\r\n", .sequence, pieces: pieces) == elements)
            #expect(try Self.split(lines, .lines, pieces: pieces) == elements)
            #expect(try Self.split("\n \r\n" + lines + "\r\n\r\n", .lines, pieces: pieces) == elements)
        }
    }

    /// Each value comes in a piece of its own, which is the whole buffer.
    @Test func aShortValueDoesNotKeepTheMemoryOfALongOne() throws {
        var splitter = JSONElementSplitter(framing: .sequence, maximumValueSize: 1 << 20)
        var values: [RawJSON] = []
        let long = "[" + String(repeating: "1,", count: 300_000) + "1]"
        for text in [long, "[2]", "[3]", "[4]"] { try splitter.append(Array(text.utf8)[...]) { values.append($0) } }
        #expect(values.map(\.bytes.count) == [long.utf8.count, 3, 3, 3])
        for value in values.dropFirst() { #expect(value.bytes.capacity < 1024) }
    }

    static let faults: [(String, JSONElementSplitter.Framing, JSONSyntaxError.Reason, Int)] = [
        ("", .array, .emptyText, 0), ("[", .array, .unexpectedEnd, 1), ("[1", .array, .unexpectedEnd, 2),
        ("[1,", .array, .unexpectedEnd, 3), ("{}", .array, .expectedArray, 0),
        ("[1 2]", .array, .expectedCommaOrEnd, 3),
        ("[1,]", .array, .expectedValue, 3), ("[,1]", .array, .expectedValue, 1), ("[1]]", .array, .trailingContent, 3),
        ("[1] 2", .array, .trailingContent, 4), ("[tru]", .array, .invalidLiteral, 1),
        ("[01]", .array, .invalidNumber, 1),
        ("[{\"a\":1]]", .array, .expectedCommaOrEnd, 7), ("[\"abc", .array, .unexpectedEnd, 5),
        ("1,2", .sequence, .expectedValue, 1), ("{\"a\"", .sequence, .unexpectedEnd, 4),
        ("]", .sequence, .expectedValue, 0),
        ("1\n{]\n", .sequence, .expectedMemberName, 3),
    ]

    @Test(arguments: faults)
    func faultsAreToldWhereverThePiecesEnd(
        text: String, framing: JSONElementSplitter.Framing, reason: JSONSyntaxError.Reason, offset: Int
    ) {
        for pieces in 1...max(1, text.utf8.count) {
            let error = #expect(throws: JSONElementSplitter.Failure.self) {
                try Self.split(text, framing, pieces: pieces)
            }
            #expect(error?.reason == .syntax(reason))
            #expect(error?.offset == offset)
        }
    }

    static let places: [(String, JSONElementSplitter.Framing, [String], String)] = [
        (
            "{\"i\":1}\n{\"i\":2\n{\"i\":3}", .lines, [#"{"i":1}"#],
            "The text is not valid JSON: the text ends before its value is complete at line 2, column 7 (byte 14)."
        ),
        (
            "{\"i\":1}\n{\"i\":2\n{\"i\":3}", .sequence, [#"{"i":1}"#],
            "The text is not valid JSON: expected a comma or a closing bracket at line 3, column 1 (byte 15), "
                + "in the value that begins in line 2."
        ),
        (
            "1\n[2,\n", .sequence, ["1"],
            "The text is not valid JSON: the text ends before its value is complete at line 3, column 1 (byte 6), in the value that begins in line 2."
        ),
        (
            "1\n\"a\n\"b\"\n", .sequence, ["1"],
            "The text is not valid JSON: a string has a control character that is not escaped at line 2, column 3 (byte 4)."
        ),
        ("1 2\n", .lines, [], "The text is not valid JSON: more text follows the value at line 1, column 3 (byte 2)."),
        (
            "[1,\n2,\n3 4]", .array, ["1", "2", "3"],
            "The text is not valid JSON: expected a comma or a closing bracket at line 3, column 3 (byte 9)."
        ),
        ("\n{}", .array, [], "The text is not valid JSON: expected an array at line 2, column 1 (byte 1)."),
    ]

    @Test(arguments: places)
    func faultsSayTheLineOfTheStream(
        text: String, framing: JSONElementSplitter.Framing, before: [String], description: String
    ) {
        for pieces in 1...text.utf8.count {
            var splitter = JSONElementSplitter(framing: framing)
            var values: [String] = []
            let bytes = Array(text.utf8)
            let error = #expect(throws: JSONElementSplitter.Failure.self) {
                for start in stride(from: 0, to: bytes.count, by: pieces) {
                    try splitter.append(bytes[start..<min(start + pieces, bytes.count)]) { values.append($0.text) }
                }
                try splitter.finish { values.append($0.text) }
            }
            #expect(error?.description == description)
            #expect(values == before)
        }
    }

    @Test(arguments: [JSONElementSplitter.Framing.sequence, .lines])
    func wordThatIsCutIsTold(framing: JSONElementSplitter.Framing) {
        let error = #expect(throws: JSONElementSplitter.Failure.self) {
            try Self.split("true\nnul\n{}\n", framing, pieces: 4)
        }
        #expect(error?.line == 2)
        #expect(error?.reason == .syntax(.invalidLiteral))
    }

    @Test func valueThatLacksItsEndIsToldBeforeTheTextEnds() {
        var splitter = JSONElementSplitter(framing: .sequence)
        let error = #expect(throws: JSONElementSplitter.Failure.self) {
            for line in 0..<100 { try splitter.append("{\"i\":\(line)\(line == 3 ? "" : "}")\n".utf8) { _ in } }
        }
        #expect(error?.reason == .syntax(.expectedCommaOrEnd))
        #expect(error?.line == 5)
        #expect(error?.valueLine == 4)
    }

    @Test func valuesOfSeveralLinesAreRead() throws {
        let text = "{\n  \"a\": [\n    1\n  ]\n}\n[\n]\n7"
        for pieces in 1...text.utf8.count {
            #expect(try Self.split(text, .sequence, pieces: pieces) == ["{\n  \"a\": [\n    1\n  ]\n}", "[\n]", "7"])
        }
    }

    @Test func valueBeyondTheLimitIsRefusedBeforeItIsComplete() {
        var splitter = JSONElementSplitter(framing: .array, maximumValueSize: 100)
        let piece = Array(repeating: UInt8(ascii: "a"), count: 60)
        let error = #expect(throws: JSONElementSplitter.Failure.self) {
            try splitter.append(Array("[1,\"".utf8)) { _ in }
            try splitter.append(piece) { _ in }
            try splitter.append(piece) { _ in }
        }
        #expect(error?.reason == .valueTooLarge)
        #expect(error?.offset == 3)
    }

    @Test func manyValuesAreDecodedOneByOne() async throws {
        struct Row: Codable, Equatable { var id: Int, name: String }
        let rows = (0..<2000).map { Row(id: $0, name: "row \($0)") }
        let text: [UInt8] = try WireJSONEncoder().encode(rows)
        let pieces = AsyncStream<ArraySlice<UInt8>> { continuation in
            for start in stride(from: 0, to: text.count, by: 777) {
                continuation.yield(text[start..<min(start + 777, text.count)])
            }
            continuation.finish()
        }
        var read: [Row] = []
        for try await row in WireJSONDecoder().elements(of: Row.self, in: pieces, framing: .array) { read.append(row) }
        #expect(read == rows)
    }

    @Test func valuesBeforeAFaultAreHandedOverFirst() async {
        let pieces = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("1\n2\nx\n3\n".utf8))
            continuation.finish()
        }
        var read: [Int] = []
        let error = await #expect(throws: JSONElementSplitter.Failure.self) {
            for try await value in WireJSONDecoder().elements(of: Int.self, in: pieces, framing: .sequence) {
                read.append(value)
            }
        }
        #expect(read == [1, 2])
        #expect(error?.offset == 4)
    }
}
