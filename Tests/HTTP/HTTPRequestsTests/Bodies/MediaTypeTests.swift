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

    /// A value of `Content-Type`, the parts of the media type, and whether the value is well-formed.
    static let parts: [(String, [String], Bool)] = [
        ("application/json", ["application", "json"], true),
        ("Application/JSON; Charset=UTF-8", ["application", "json", "charset=UTF-8"], true),
        (" text/html ;\tcharset=x ; a=b ", ["text", "html", "charset=x", "a=b"], true),
        (#"a/b; c="d;\"e\\f" ; g=h"#, ["a", "b", #"c=d;"e\f"#, "g=h"], true),
        ("a/b;;;c=d;", ["a", "b", "c=d"], true), ("a/b;c=d;C=e", ["a", "b", "c=d", "c=e"], true),
        (#"a/b; c="""#, ["a", "b", "c="], true), (#"a/b; c="é""#, ["a", "b", "c=é"], true),
        ("a/b; c = d; e=f", ["a", "b", "e=f"], false), ("a/b; =c; d; e=; f=g", ["a", "b", "f=g"], false),
        ("a/b; c=d e", ["a", "b", "c=d e"], false), ("a/b; c=é", ["a", "b", "c=é"], false),
        (#"a/b; c="open; d=e"#, ["a", "b", "c=open", "d=e"], false),
        (#"a/b; c="open\"#, ["a", "b", #"c=open\"#], false),
        (#"a/b; c="x"junk; d=e"#, ["a", "b", "c=x", "d=e"], false),
        ("a/b; c=\"x\r\ny\"; d=e", ["a", "b", "d=e"], false), ("a/b; c=\u{0}", ["a", "b"], false),
        ("a/b; c=\u{301}d", ["a", "b", "c=\u{301}d"], false),
    ]

    @Test(arguments: parts)
    func malformedParametersAreNoted(text: String, parts: [String], isWellFormed: Bool) throws {
        let parsed = try #require(HTTPMediaType.parse(text))
        let parameters = parsed.type.parameters.map { "\($0.name)=\($0.value)" }
        #expect([parsed.type.type, parsed.type.subtype] + parameters == parts)
        #expect(parsed.isWellFormed == isWellFormed)
    }

    /// The time is linear in the length for every text. Quadratic time would be minutes here.
    @Test func longTextsOfQuotesAreReadInTime() {
        for piece in ["\"", "\\\"", "\",", "a,", "\"\\"] {
            #expect(HTTPMediaType("a/b;c=\(String(repeating: piece, count: 30_000))") != nil)
        }
    }

    @Test(arguments: [
        "", " ", "json", "/", "/json", "application/", "application /json", "a b/c", "a/b c", "a/b/c", ";a/b", "é/b",
        "a/\u{0}", "a\r\n/b", "\r\na/b", "\"a/b\"", "a/b,c/d",
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
