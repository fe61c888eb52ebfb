// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Messages of a peer never trap, and repeated reading gives the same result.
@Suite(.inTurn) struct MessageReaderPropertyTests {
    /// Pieces of messages: valid, invalid and unusual ones.
    private static let names = [
        "jsonrpc", "id", "method", "params", "result", "error", "extra", #"i\u0064"#, "code", "message", "data", "",
    ]
    private static let values = [
        #""2.0""#, "2.0", #""1.0""#, "null", "true", "1", "-1", "1.5", "1e400", "-0", "9223372036854775808", #""1""#,
        #""""#, #""\ud800""#, #""\ud83d\ude00é""#, "[]", "{}", "[1,[2]]", #"{"id":1}"#,
        #"{"code":1,"message":"m"}"#, #"{"code":"1"}"#, #"{"code":1e3,"message":5,"data":null}"#,
        #"{"code":-1.5e-3,"code":2,"message":"\ud800"}"#, #"{"c\u006fde":9223372036854775807,"message":"","data":[]}"#,
    ]

    private static func message(_ random: inout SeededGenerator) -> String {
        let members = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
            let name = names.randomElement(using: &random) ?? ""
            let value = values.randomElement(using: &random) ?? ""
            return random.oneIn(4) ? "\"\(name)\" : \(value) " : "\"\(name)\":\(value)"
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func strictness(_ random: inout SeededGenerator) -> Strictness {
        var strictness = Strictness(everything: .ignore)
        for irregularity in Irregularity.allCases {
            strictness[irregularity] = Strictness.Reaction.allCases.randomElement(using: &random) ?? .report
        }
        return strictness
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func anyMessageIsJudgedByItsStrictness(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let text = Self.message(&random)
            let strictness = Self.strictness(&random)
            let reader = MessageReader(strictness: strictness, version: random.oneIn(2) ? .required : .optional)
            let bytes = Array(text.utf8)
            let envelope = try scan(bytes)
            let comment = Comment(rawValue: text)
            switch reader.kind(of: envelope) {
            case .response:
                let reading = bytes.withUnsafeBytes { reader.response(envelope, in: $0) }
                check(reading.reported, reading.closesConnection, strictness, comment)
                switch reading.outcome {
                case .violation(let irregularity):
                    #expect(strictness[irregularity] >= .failCall || !irregularity.hasReading, comment)
                case .result(let range): #expect(envelope.result == range, comment)
                case .error: #expect(envelope.error != nil, comment)
                }
            case .request, .notification:
                let reading = bytes.withUnsafeBytes { reader.call(envelope, in: $0) }
                check(reading.reported, reading.closesConnection, strictness, comment)
                let isNameless = !Self.hasName(envelope, in: bytes)
                #expect((reading.echo == nil) == (envelope.id == .absent && !isNameless), comment)
                if envelope.id == .absent, isNameless { #expect(reading.echo == .json(.null), comment) }
                if case .json(let echo) = reading.echo { _ = try RawJSON(validating: Array(echo.bytes)) }
                if let irregularity = reading.violation {
                    #expect(strictness[irregularity] >= .failCall || !irregularity.hasReading, comment)
                }
            case .unknown:
                #expect(envelope.result == nil && envelope.error == nil && envelope.method == .absent, comment)
            }
        }
    }

    private static func hasName(_ envelope: MessageEnvelope, in bytes: [UInt8]) -> Bool {
        guard case .string(let range, let isEscaped) = envelope.method else { return false }
        return bytes.withUnsafeBytes {
            (try? StringContent.string(in: $0, range: range, isEscaped: isEscaped)) != nil
        }
    }

    private func check(
        _ reported: IrregularitySet, _ closes: Bool, _ strictness: Strictness, _ comment: Comment
    ) {
        for irregularity in reported.elements { #expect(strictness[irregularity] >= .report, comment) }
        #expect(closes == reported.elements.contains { strictness[$0] == .closeConnection }, comment)
    }
}
