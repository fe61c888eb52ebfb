// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCHTTP

/// Random answers in random pieces have the outcomes of the whole answer.
@Suite(.inTurn(within: .seconds(120)))
struct PieceProperties {
    private static let results = ["19", "null", #""]},[{\"""#, "[1,[ ]]", #"{"a":{"id":1}}"#, "1e400", #""\ud800""#]
    private static let errors = [
        "null", "7", "{}", #"{"code":5,"message":"m"}"#, #"{"code":"5","message":"m"}"#,
        #"{"code":-32600,"message":"batch too large","data":{"a":[1]}}"#,
    ]
    private static let ids = ["1", "2", #""drei""#, "77", #""1""#, #""2""#, "null", "1.0", "true", #""dre\u0069""#]
    private static let strangers = ["7", "null", "[]", "{}", #"{"method":"m"}"#, #"[{"id":1,"result":1}]"#, #""[""#]

    private static func member(_ random: inout SeededGenerator) -> String {
        if random.oneIn(8) { return strangers.randomElement(using: &random) ?? "" }
        var members: [String] = []
        if !random.oneIn(8) { members.append(#""jsonrpc":"2.0""#) }
        for _ in 0..<(random.oneIn(20) ? 2 : 1) where !random.oneIn(12) {
            members.append(#""id":\#(ids.randomElement(using: &random) ?? "")"#)
        }
        if !random.oneIn(3) { members.append(#""result":\#(results.randomElement(using: &random) ?? "")"#) }
        if random.oneIn(3) { members.append(#""error":\#(errors.randomElement(using: &random) ?? "")"#) }
        return "{\(members.shuffled(using: &random).joined(separator: random.oneIn(4) ? " ,\n" : ","))}"
    }

    private static func answer(_ random: inout SeededGenerator) -> [UInt8] {
        let members = (0..<Int.random(in: 0..<7, using: &random)).map { _ in member(&random) }
        if random.oneIn(10) { return Array((members.first ?? " ").utf8) }
        let space = ["", " ", "\r\n", "\t "].randomElement(using: &random) ?? ""
        return Array("\(space)[\(space)\(members.joined(separator: space + "," + space))\(space)]\(space)".utf8)
    }

    /// Random pieces, some of them empty.
    private static func pieces(_ body: [UInt8], _ random: inout SeededGenerator) -> [ArraySlice<UInt8>] {
        let cuts = (0..<Int.random(in: 0..<6, using: &random)).map { _ in Int.random(in: 0...body.count, using: &random)
        }
        let bounds = ([0] + cuts + [body.count]).sorted()
        return zip(bounds, bounds.dropFirst()).map { body[$0..<$1] }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func wellFormedAnswersHaveTheOutcomesOfTheWhole(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let body = Self.answer(&random)
            let status: HTTPResponse.Status = random.oneIn(4) ? .serviceUnavailable : .ok
            let strictness: Strictness = random.oneIn(3) ? .strict : .standard
            let comment = Comment(rawValue: "seed \(seed), \(status): \(String(decoding: body, as: UTF8.self))")
            let whole = try PieceTests.read([body[...]], status: status, length: body.count, strictness: strictness)
            let parts = try PieceTests.read(Self.pieces(body, &random), status: status, strictness: strictness)
            #expect(parts.outcomes == whole.outcomes, comment)
            #expect(parts.findings == whole.findings, comment)
        }
    }

    /// In a damaged answer, the responses before the damage count, however the answer is cut into pieces.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func thePiecesOfDamagedAnswersMakeNoDifference(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            var body = Self.answer(&random)
            let intact = body
            guard let index = body.indices.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: body.removeSubrange(index...)
            case 1: body[index] = UInt8.random(in: 0...255, using: &random)
            case 2: body.insert(UInt8.random(in: 0...255, using: &random), at: index)
            default: body.remove(at: index)
            }
            let limit = random.oneIn(4) ? Int.random(in: 1...max(1, body.count), using: &random) : .max
            let comment = Comment(rawValue: "seed \(seed), limit \(limit): \(String(decoding: body, as: UTF8.self))")
            let ways = [
                ([body[...]], body.count), ([body[...]], nil), (body.indices.map { body[$0...$0] }, nil),
                (Self.pieces(body, &random), nil),
            ]
            let readings = ways.map { pieces, length in
                Result { try PieceTests.read(pieces, limit: limit, length: length) }
            }
            let kinds = readings.map { (try? $0.get())?.kinds ?? ["thrown"] }
            #expect(kinds.dropFirst().allSatisfy { $0 == kinds[0] }, comment)
            // A response that ends before the damage keeps its outcome.
            let before = try PieceTests.read([intact[..<min(index, limit)]])
            guard case .success(let reading) = readings[1] else { continue }
            for place in before.early { #expect(reading.outcomes[place] == before.outcomes[place], comment) }
        }
    }
}
