// swift-jsonrpc · SPDX-License-Identifier: MIT

import Testing
import WireJSON

@Suite("Streaming")
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
        }
    }

    static let faults: [(String, JSONElementSplitter.Framing, JSONSyntaxError.Reason, Int)] = [
        ("", .array, .emptyText, 0), ("[", .array, .unexpectedEnd, 1), ("[1", .array, .unexpectedEnd, 2),
        ("[1,", .array, .unexpectedEnd, 3), ("{}", .array, .expectedValue, 0),
        ("[1 2]", .array, .expectedCommaOrEnd, 3),
        ("[1,]", .array, .expectedValue, 3), ("[,1]", .array, .expectedValue, 1), ("[1]]", .array, .trailingContent, 3),
        ("[1] 2", .array, .trailingContent, 4), ("[tru]", .array, .unexpectedEnd, 4),
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
            let error = #expect(throws: JSONStreamError.self) { try Self.split(text, framing, pieces: pieces) }
            #expect(error?.reason == .syntax(reason))
            #expect(error?.offset == offset)
        }
    }

    @Test func valueBeyondTheLimitIsRefusedBeforeItIsComplete() {
        var splitter = JSONElementSplitter(framing: .array, maximumValueSize: 100)
        let piece = Array(repeating: UInt8(ascii: "a"), count: 60)
        let error = #expect(throws: JSONStreamError.self) {
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
        let error = await #expect(throws: JSONStreamError.self) {
            for try await value in WireJSONDecoder().elements(of: Int.self, in: pieces, framing: .sequence) {
                read.append(value)
            }
        }
        #expect(read == [1, 2])
        #expect(error?.offset == 4)
    }
}
