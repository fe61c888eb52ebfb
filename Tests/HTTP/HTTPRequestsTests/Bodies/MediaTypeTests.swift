// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import TestSupport
import TestTurns
import Testing

@Suite("Media types", .inTurn)
struct MediaTypeTests {
    /// A value of `Content-Type`, and the media type as it is written again.
    static let types: [(String, String)] = [
        ("application/json", "application/json"),
        ("Application/JSON; Charset=UTF-8", "application/json; charset=UTF-8"),
        (" text/html ;\tcharset = x;a=b ", "text/html; a=b"),
        ("text/html;charset=\"utf-8\"", "text/html; charset=utf-8"),
        (#"a/b; c="d;\"e\\f" ; g=h"#, #"a/b; c="d;\"e\\f"; g=h"#), ("a/b;c=d;c=e", "a/b; c=d"),
        ("a/b;;;c=d;", "a/b; c=d"),
        (#"a/b; c="open"#, "a/b; c=open"), (#"a/b; c="open\"#, #"a/b; c="open\\""#),
        (#"a/b; c="x"junk; d=e"#, "a/b; c=x; d=e"),
        ("a/b; =c; d; e=; f=g", "a/b; f=g"), (#"a/b; c="""#, #"a/b; c="""#), ("a/b; c d=e", "a/b"),
        ("a/b; c=d e", #"a/b; c="d e""#),
        ("a/b;c=é", #"a/b; c="é""#), ("a/b; c=\"x\r\ny\"; d=e", "a/b; d=e"), ("a/b; c=\u{0}", "a/b"),
        ("text/html;charset=gbk;charset=utf-8", "text/html; charset=gbk"), ("a/b;c='d", "a/b; c='d"),
    ]

    @Test(arguments: types)
    func typesAreRead(text: String, written: String) throws {
        let type = try #require(HTTPMediaType(text))
        #expect(type.description == written)
        #expect(HTTPMediaType(written) == type)
    }

    @Test(arguments: [
        "", " ", "json", "/", "/json", "application/", "application /json", "a b/c", "a/b c", "a/b/c", ";a/b", "é/b",
        "a/\u{0}",
        "a\r\n/b", "\"a/b\"", "a/b,c/d",
    ])
    func otherTextsAreNoTypes(text: String) {
        #expect(HTTPMediaType(text) == nil)
    }

    @Test func theContentOfResponsesIsRecognised() throws {
        for json in [
            "application/json", "text/JSON; charset=utf-8", "application/vnd.api+json", "application/problem+json;a=b",
        ] {
            #expect(try #require(HTTPMediaType(json)).isJSON)
        }
        for other in ["text/html", "application/jsonp", "image/json", "application/json-seq", "application/x-ndjson"] {
            #expect(try !#require(HTTPMediaType(other)).isJSON)
        }
        let type = try #require(HTTPMediaType("text/Plain; Charset=\"ISO-8859-1\"; q=1"))
        #expect(type.type == "text" && type.subtype == "plain" && type.essence == "text/plain")
        #expect(type.charset == "iso-8859-1")
        #expect(type["CHARSET"] == "ISO-8859-1" && type["x"] == nil)
        #expect(type.parameters.map(\.name) == ["charset", "q"])
        for range in ["text/plain", "text/*", "*/*", "TEXT/plain; x=y"] { #expect(type.matches(range)) }
        for range in ["text/html", "image/*", "*/plain", "text", ""] { #expect(!type.matches(range)) }
    }

    @Test func randomTextsNeverTrap() {
        var random = SeededGenerator(seed: 9110)
        let pieces = ["a", "/", ";", "=", "\"", "\\", " ", "\t", "é", "\u{0}", ",", "charset", "\r\n"]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            guard let type = HTTPMediaType("a/b" + text.joined()) else { continue }
            #expect(HTTPMediaType(type.description) == type, "\(text)")
        }
    }
}
