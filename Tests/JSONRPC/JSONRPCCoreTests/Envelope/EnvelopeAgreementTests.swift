// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestSupport
import TestTurns
import Testing
import WireJSON

/// The envelope scan accepts the same texts as the validating reader.
@Suite("EnvelopeScanner and the validating reader", .inTurn)
struct EnvelopeAgreementTests {
    static let values: [String] = [
        "null", "true", "false", "0", "-0", "-1", "1.5", "1e3", "-0.0E-7", "\"\"", #""é\n\u00e9\ud83d\ude00""#,
        #""\ud800""#,
        "[]", "{}", "[[],{}]", #"{"id":[1,{"":null}]}"#, " [ 1 , 2 ] ", "123456789012345678901234567890",
        "nul", "tru", "falsy", "01", "+1", "1.", ".5", "1e", "--1", "\"", #""\x""#, #""\u12g4""#, "\"\u{1}\"", "[1,]",
        "[,]",
        "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "[1", "]", "1 2", "", " ", "NaN", "'a'", "/**/1",
    ]

    static let frames: [(String, String)] = [
        ("", ""), ("[", "]"), ("[1,", ",{}]"), (#"{"id":"#, "}"), (#"{"jsonrpc":"#, "}"), (#"{"method":"#, "}"),
        (#"{"params":"#, #","id":1}"#), (#"{"result" : "#, #" , "id":1}"#), (#"{"error":"#, "}"),
        (#"{"other":"#, #","\u0069d":2}"#), (#"[{"id":1,"result":"#, #"},{"id":2}]"#),
    ]

    @Test(arguments: values)
    func aValueGetsTheSameVerdictInEachMember(value: String) {
        for (start, end) in Self.frames {
            expectAgreement(on: Array("\(start)\(value)\(end)".utf8))
        }
    }

    /// Random changes of whole messages, with the same seed in each run.
    @Test(arguments: MalformedMessageTests.whole)
    func randomlyDamagedMessagesGetTheSameVerdict(text: String) {
        var generator = SeededGenerator(seed: 20_261_122)
        let pool = Array(#"{}[]",:\truefalsn0123456789-+.eE \u00"#.utf8) + [0x00, 0x1F, 0x80, 0xC3, 0xA9, 0xED, 0xFF]
        for _ in 0..<2000 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(pool.randomElement(using: &generator) ?? 0x20, at: index)
                default: bytes[index] = pool.randomElement(using: &generator) ?? 0x20
                }
            }
            expectAgreement(on: bytes)
        }
    }

    private func expectAgreement(on text: [UInt8]) {
        let raw = Result { () throws(JSONSyntaxError) in try RawJSON(validating: text) }
        let scan = Result { () throws(MessageScanFailure) in try EnvelopeScannerTests.scan(text) }
        switch (raw, scan) {
        case (.success, .success): break
        case (.failure(let error), .failure(let failure)):
            #expect(error == failure.error, "\(String(decoding: text, as: UTF8.self))")
            #expect(failure.isInvalidUTF8 == (String(validating: text, as: UTF8.self) == nil))
        default: Issue.record("the readers disagree on \(String(decoding: text, as: UTF8.self))")
        }
    }
}
