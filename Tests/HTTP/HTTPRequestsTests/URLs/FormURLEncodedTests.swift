// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import TestSupport
import TestTurns
import Testing

@Suite("Reading forms", .inTurn)
struct FormURLEncodedTests {
    static let forms: [(String, [HTTPQueryItem])] = [
        ("", []), ("a=b", [HTTPQueryItem("a", "b")]),
        ("a=1&b=&a=2", [HTTPQueryItem("a", "1"), HTTPQueryItem("b", ""), HTTPQueryItem("a", "2")]),
        ("a+b=c%20d%2Be", [HTTPQueryItem("a b", "c d+e")]), ("%61%3D=%26", [HTTPQueryItem("a=", "&")]),
        ("%E6%97%A5=%e6%9c%ac", [HTTPQueryItem("日", "本")]), ("=x", [HTTPQueryItem("", "x")]),
        ("é=ü", [HTTPQueryItem("é", "ü")]),
    ]

    @Test(arguments: forms)
    func wellFormedFormsAreReadInBothWays(text: String, items: [HTTPQueryItem]) throws {
        #expect(FormURLEncoded.items(in: text.utf8) == items)
        #expect(try FormURLEncoded.strictItems(in: text.utf8) == items)
    }

    static let faults: [(String, FormURLEncodedError.Reason, Int, [HTTPQueryItem])] = [
        ("key==value&", .repeatedEqualsSign, 0, [HTTPQueryItem("key", "=value")]),
        ("a=b&", .emptyPair, 4, [HTTPQueryItem("a", "b")]), ("&a=b", .emptyPair, 0, [HTTPQueryItem("a", "b")]),
        ("a=b&&c=d", .emptyPair, 4, [HTTPQueryItem("a", "b"), HTTPQueryItem("c", "d")]), ("&", .emptyPair, 0, []),
        ("a=b&c", .missingEqualsSign, 4, [HTTPQueryItem("a", "b"), HTTPQueryItem("c", nil)]),
        ("a=%", .malformedEscape, 0, [HTTPQueryItem("a", "%")]),
        ("a=%4", .malformedEscape, 0, [HTTPQueryItem("a", "%4")]),
        ("a=%zz%41", .malformedEscape, 0, [HTTPQueryItem("a", "%zzA")]),
        (
            "x=y&a=%ED%A0%80", .invalidUTF8, 4,
            [HTTPQueryItem("x", "y"), HTTPQueryItem("a", "\u{FFFD}\u{FFFD}\u{FFFD}")]
        ),
        ("%FF=a", .invalidUTF8, 0, [HTTPQueryItem("\u{FFFD}", "a")]),
    ]

    @Test(arguments: faults)
    func aFaultIsAnErrorOrTolerated(
        text: String, reason: FormURLEncodedError.Reason, offset: Int, items: [HTTPQueryItem]
    ) {
        let error = #expect(throws: FormURLEncodedError.self) { try FormURLEncoded.strictItems(in: text.utf8) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
        #expect(error?.description.contains("byte \(offset)") == true)
        #expect(FormURLEncoded.items(in: text.utf8) == items)
    }

    @Test func bytesThatAreNotUTF8AreAnError() {
        let error = #expect(throws: FormURLEncodedError.self) {
            try FormURLEncoded.strictItems(in: [0x61, 0x3D, 0xED, 0xA0, 0x80])
        }
        #expect(error?.reason == .invalidUTF8)
    }

    @Test func encodedItemsAreReadAgain() throws {
        var random = SeededGenerator(seed: 42)
        let characters = Array("ab=&%+ ~é日😀\r\n\"'/?#[],;\u{0}")
        func text() -> String {
            String(
                (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in characters.randomElement(using: &random) }
            )
        }
        for _ in 0..<2000 {
            let items = (0..<Int.random(in: 0...5, using: &random)).map { _ in HTTPQueryItem(text(), text()) }
            for encoding in [HTTPQueryEncoding.form, .rfc3986] {
                let form = encoding.encode(items)
                #expect(try FormURLEncoded.strictItems(in: form.utf8) == items)
                #expect(FormURLEncoded.items(in: form.utf8) == items)
                let isPlain = form.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
                #expect(isPlain)
            }
        }
    }
}
