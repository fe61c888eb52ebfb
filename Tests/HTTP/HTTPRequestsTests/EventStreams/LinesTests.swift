// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite("Lines and JSON Lines", .inTurn)
struct LinesTests {
    struct Fault: Error, Equatable {}

    static let texts: [(String, [String])] = [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\n\nb\r\n\r\n", ["a", "", "b", ""]), ("a\rb\n", ["a\rb"]), ("\r\n\n\r\r\n", ["", "", "\r"]),
        ("é日😀\r\n\u{0}\u{2028}x\n", ["é日😀", "\u{0}\u{2028}x"]), ("a\r", ["a\r"]),
    ]

    @Test(arguments: texts)
    func linesAreTheSameWhereverThePiecesEnd(text: String, lines: [String]) async throws {
        for stream in everySplit(of: text) { #expect(try await collect(stream.lines()) == lines) }
    }

    @Test func randomTextsAreSplitAtTheirLineBreaks() async throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let bytes: [UInt8] = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                [0x0A, 0x0A, 0x0D, 0x61, 0x62].randomElement(using: &random) ?? 0x0A
            }
            var expected = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
            let last = expected.removeLast()
            expected = expected.map { $0.last == 0x0D ? Array($0.dropLast()) : $0 }
            if !last.isEmpty { expected.append(last) }
            let lines = try await collect(randomSplit(of: bytes, using: &random).lines())
            #expect(lines.map { Array($0.utf8) } == expected, "\(bytes)")
        }
    }

    @Test func aLineHasALimit() async throws {
        for ending in ["\n", "\r\n"] {
            for stream in everySplit(of: "12345\(ending)12345\(ending)") {
                #expect(try await collect(stream.lines(maximumLineBytes: 5)) == ["12345", "12345"])
            }
            for text in ["12345\(ending)123456\(ending)", "12345\(ending)123456", "12345\(ending)1234567890\(ending)1"]
            {
                for stream in everySplit(of: text) {
                    var iterator = stream.lines(maximumLineBytes: 5).makeAsyncIterator()
                    #expect(try await iterator.next() == "12345")
                    await #expect(throws: HTTPLinesError.lineTooLong(line: 2, limit: 5)) {
                        try await iterator.next()
                    }
                    #expect(try await iterator.next() == nil)
                }
            }
        }
    }

    @Test func anEndlessLineIsNotCollected() async throws {
        struct Endless: HTTPByteSource {
            func next() async throws -> ArraySlice<UInt8>? { ArraySlice(repeating: 0x61, count: 1000) }
        }
        for limit in [0, 10_000] {
            await #expect(throws: HTTPLinesError.lineTooLong(line: 1, limit: limit)) {
                try await collect(HTTPByteStream(Endless()).lines(maximumLineBytes: limit))
            }
            await #expect(throws: EventStreamError.eventTooLarge(limit: limit)) {
                try await collect(HTTPByteStream(Endless()).serverSentEvents(maximumEventBytes: limit))
            }
        }
    }

    @Test func aLineThatIsNotUTF8IsAnErrorByItself() async throws {
        let bytes: [UInt8] = [0x61, 0x0A, 0xED, 0xA0, 0x80, 0x0A, 0x62]
        var iterator = HTTPByteStream(bytes).lines().makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        await #expect(throws: HTTPLinesError.invalidUTF8(line: 2)) { try await iterator.next() }
        #expect(try await iterator.next() == "b")
        #expect(try await iterator.next() == nil)
    }

    @Test func thePiecesAreAskedForOneByOne() async throws {
        let source = SplitStream([Array("a\nb\n".utf8), Array("c\n".utf8), Array("d\n".utf8)])
        var iterator = source.stream.lines().makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        #expect(try await iterator.next() == "b")
        #expect(source.askedPieces == 1)
        #expect(try await iterator.next() == "c")
        #expect(source.askedPieces == 2)
    }

    @Test func theErrorOfTheStreamFollowsItsLines() async throws {
        var iterator = SplitStream([Array("a\nb".utf8)], failure: Fault()).stream.lines().makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        await #expect(throws: Fault()) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        let stream = HTTPByteStream(Array("a\n".utf8))
        #expect(try await collect(stream.lines()) == ["a"])
        await #expect(throws: HTTPByteStreamError.self) { try await collect(stream.lines()) }
    }

    struct Row: Codable, Sendable, Equatable {
        var id: Int
    }

    @Test func eachLineIsAValue() async throws {
        let text = "{\"id\":1}\n\n \t\r\n{\"id\": 2}\r\n{\"id\":3}"
        for stream in everySplit(of: text) {
            #expect(try await collect(stream.jsonLines(of: Row.self)) == [1, 2, 3].map(Row.init))
        }
        for stream in everySplit(of: "1\n[2,\"x\"]\nnull\n") {
            #expect(try await collect(stream.jsonLines(of: JSONValue.self)) == [1, [2, "x"], nil])
        }
        #expect(try await collect(HTTPByteStream([]).jsonLines(of: Row.self)).isEmpty)
    }

    static let badLines = [
        "{\"id\":}", "{\"id\":\"x\"}", "{\"id\":2", "{} {}", "{\"id\":1}{\"id\":2}", "nonsense", "\u{FEFF}{\"id\":1}",
        "]",
    ]

    @Test(arguments: badLines)
    func aBadLineNamesItsNumber(line: String) async throws {
        for stream in everySplit(of: "{\"id\":1}\n\n\(line)\n{\"id\":4}\n") {
            var iterator = stream.jsonLines(of: Row.self).makeAsyncIterator()
            #expect(try await iterator.next() == Row(id: 1))
            let error = await #expect(throws: JSONLineError.self) { try await iterator.next() }
            #expect(error?.line == 3)
            #expect(error?.beginning == Array(line.utf8))
            #expect(error?.underlying is DecodingError)
            #expect(try await iterator.next() == nil)
        }
    }

    @Test(arguments: badLines)
    func badLinesCanBeSkipped(line: String) async throws {
        let skipped = Mutex<[Int]>([])
        for stream in everySplit(of: "\(line)\n{\"id\":1}\n\(line)\r\n{\"id\":2}\n\(line)") {
            skipped.withLock { $0 = [] }
            let rows = stream.jsonLines(
                of: Row.self, onInvalidLine: .skip { error in skipped.withLock { $0.append(error.line) } })
            #expect(try await collect(rows) == [Row(id: 1), Row(id: 2)])
            #expect(skipped.withLock { $0 } == [1, 3, 5])
        }
    }

    @Test func theErrorOfALongLineIsShort() async throws {
        let stream = HTTPByteStream([UInt8](repeating: 0x78, count: 5000))
        let error = await #expect(throws: JSONLineError.self) {
            try await collect(stream.jsonLines(of: Row.self, maximumLineBytes: 5000))
        }
        #expect(error?.beginning.count == 200)
        await #expect(throws: HTTPLinesError.lineTooLong(line: 1, limit: 3)) {
            try await collect(HTTPByteStream(Array("[1,2]".utf8)).jsonLines(of: [Int].self, maximumLineBytes: 3))
        }
    }
}
