// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import TestTurns
import Testing

@Suite("Media types", .inTurn)
struct MediaTypeSyntaxTests {
    /// A value of `Content-Type`, the parts of the media type, and whether the value is well-formed.
    static let types: [(String, [String], Bool)] = [
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

    @Test(arguments: types)
    func typesAreRead(text: String, parts: [String], isWellFormed: Bool) throws {
        let type = try #require(MediaTypeSyntax(text))
        #expect([type.type, type.subtype] + type.parameters.map { "\($0.name)=\($0.value)" } == parts)
        #expect(type.isWellFormed == isWellFormed)
    }

    @Test(arguments: [
        "", " ", "json", "/", "/json", "application/", "application /json", "a b/c", "a/b c", "a/b/c", ";a/b", "é/b",
        "a/\u{0}", "a\r\n/b", "\r\na/b", "\"a/b\"", "a/b,c/d",
    ])
    func otherTextsAreNoTypes(text: String) {
        #expect(MediaTypeSyntax(text) == nil)
    }
}
