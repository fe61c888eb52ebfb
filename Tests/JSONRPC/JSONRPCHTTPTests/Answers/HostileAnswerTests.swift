// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCHTTP

/// Answers to batches that only a faulty server sends.
@Suite(.inTurn(within: .seconds(120)))
struct HostileAnswerTests {
    private static let one = PieceTests.one

    private static func pieces(_ text: String, of size: Int) -> [ArraySlice<UInt8>] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
    }

    @Test(
        arguments: [
            "[", "[,]", "[,", "[]]", "[][", "[1 2]", "[nul]", "[\"\n\"]", "[\"", "[{\"id\":1", "[1,]", "[}", "[]x",
            "[\u{FEFF}]", String(repeating: "[", count: 100_000), "[" + String(repeating: #"{"a":"#, count: 50_000),
            "[" + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "]",
        ], [1, 7, 1 << 20])
    func aMalformedArrayIsAViolationOfEachMember(text: String, size: Int) throws {
        let reading = try PieceTests.read(Self.pieces(text, of: size))
        #expect(reading.early.isEmpty)
        for outcome in reading.outcomes {
            #expect(outcome?.callError?.clientError?.irregularity == .malformedJSON)
            #expect(outcome?.callError?.delivery == .outcomeUnknown)
        }
        // The whole answer gives the same.
        #expect(try PieceTests.whole(Array(text.utf8)).kinds == reading.kinds)
    }

    @Test(arguments: [1, 7, 1 << 20]) func bytesThatAreNotUTF8AreAViolation(size: Int) throws {
        let bytes = Array("[\(Self.one),\"".utf8) + [0xFF] + Array("\"]".utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
        let reading = try PieceTests.read(pieces)
        #expect(reading.early == [0])
        #expect(reading.outcomes[2]?.callError?.clientError?.irregularity == .invalidUTF8)
    }

    @Test(arguments: ["[\(one)]garbage", "[\(one)]]", "[\(one)}", "[\(one),,", "[\(one)\(one)]", "[\(one),]"])
    func aFaultAfterAResponseLeavesItAlone(text: String) throws {
        for size in [1, 7, 1 << 20] {
            let reading = try PieceTests.read(Self.pieces(text, of: size))
            #expect(reading.early == [0])
            #expect(reading.outcomes[2]?.callError?.clientError?.irregularity == .malformedJSON)
            #expect(reading.outcomes[1] == nil)
        }
    }

    /// An endless body is read up to the limit, in linear time.
    @Test(arguments: [" ", "[ ", "[ \(one) ", "[\(one),\"", "[\(one),{\"a\":[", "[\(one),7"], [1, 4096])
    func aBodyWithoutAnEndStopsAtTheLimit(start: String, size: Int) throws {
        let limit = 200_000
        let filler = start.hasSuffix(" ") ? " " : start.hasSuffix("[") ? "1," : "1"
        let text = start + String(repeating: filler, count: limit)
        let bytes = Self.pieces(text, of: size)
        do {
            let reading = try PieceTests.read(bytes, limit: limit)
            #expect(reading.early == (start.contains(Self.one) ? [0] : []))
            let error = reading.outcomes[2]?.callError?.clientError
            guard case .answerTooLarge(_, limit)? = error?.cause as? JSONRPCHTTPError else {
                Issue.record("The error is \(String(describing: error)).")
                return
            }
        } catch JSONRPCHTTPError.answerTooLarge(let answer, limit) {
            // White space alone is not an array.
            #expect(start == " ")
            #expect(answer.bodyBeginning.count == HTTPAnswer.bodyBeginningBytes)
        }
    }

    @Test func aByteOrderMarkIsAViolation() throws {
        let body = [0xEF, 0xBB, 0xBF] + Array("[\(Self.one)]".utf8)
        for pieces in [[body[...]], body.indices.map { body[$0...$0] }] {
            let reading = try PieceTests.read(pieces)
            #expect(reading.outcomes[0]?.callError?.clientError?.irregularity == .malformedJSON)
            #expect(reading.early.isEmpty)
        }
    }

    /// The limits of nesting count from the outermost array.
    @Test(arguments: [0, 1, 2, 3]) func theNestingIsThatOfTheWholeAnswer(depth: Int) throws {
        let body = Array(#"[{"jsonrpc":"2.0","id":1,"result":[1]},{"jsonrpc":"2.0","id":2,"result":2}]"#.utf8)
        let rules = ResponseBodyReader.Rules(.with { $0.jsonLimits = JSONLimits(maximumDepth: depth) })
        let response = HTTPResponse(status: .ok)
        let outcomes = try [nil, Int64(body.count)].map { length in
            var reader = ResponseBodyReader(rules, response, for: PieceTests.post, limit: .max, length: length)
            _ = reader.add(body[...])
            return try reader.end().0.outcomes
        }
        #expect(outcomes[0] == outcomes[1])
        for outcomes in outcomes {
            #expect((outcomes[0]?.callError == nil) == (depth == 3))
            #expect((outcomes[2]?.callError == nil) == (depth == 3))
        }
    }

    /// The outcomes of 100 000 members are taken at once. Only the unfinished element and one piece are kept.
    @Test func theBodyIsNotCollected() throws {
        let count = 100_000
        let requests = (0..<count).map { RequestObject(id: .number(Int64($0)), method: "m") }
        let post = Post(requests: requests, body: [], isArray: true, isIdempotent: false, attempt: 1)
        let taken = EventLog<Int>()
        var sum = 0
        var reader = ResponseBodyReader(
            ResponseBodyReader.Rules(SessionConfiguration()), HTTPResponse(status: .ok), for: post,
            limit: .max, length: nil,
            offer: { place, outcome, _ in
                if case .success(let result) = outcome, result.bytes.count > 90 { sum += place }
                return true
            })
        var piece = Array("[".utf8)
        let padding = String(repeating: "x", count: 90)
        for number in 0..<count {
            piece += #"{"jsonrpc":"2.0","id":\#(number),"result":"\#(padding)"}\#(number < count - 1 ? "," : "]")"#.utf8
            guard piece.count > 16_384 || number == count - 1 else { continue }
            let wantsMore = reader.add(piece[...])
            #expect(wantsMore)
            piece.removeAll(keepingCapacity: true)
            let (splitter, body) = (reader.splitter, reader.body)
            let kept = try #require(Mirror(reflecting: splitter as Any).descendant("some", "buffer") as? [UInt8])
            if kept.count > 200 || !body.isEmpty { taken.record(kept.count + body.count) }
        }
        #expect(reader.count > 13_000_000)
        #expect(sum == count * (count - 1) / 2)
        #expect(taken.elements.isEmpty)
        let (outcome, _) = try reader.end()
        #expect(outcome.outcomes.allSatisfy { $0 == nil })
    }
}
