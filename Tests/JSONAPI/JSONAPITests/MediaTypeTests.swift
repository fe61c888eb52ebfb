// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing

@Suite("Media type", .inTurn)
struct MediaTypeTests {
    @Test func parametersAreWrittenAsQuotedLists() {
        #expect(JSONAPIMediaType().description == "application/vnd.api+json")
        #expect(
            JSONAPIMediaType(extensions: ["https://a.example/x", "https://b.example"], profiles: ["https://p.example"])
                .description
                == #"application/vnd.api+json;ext="https://a.example/x https://b.example";profile="https://p.example""#)
    }

    @Test(arguments: [
        "application/vnd.api+json", "Application/VND.api+JSON ; charset=utf-8", " application/vnd.api+json;",
        #"application/vnd.api+json;x="a;b\"c";q=1"#, "application/vnd.api+json; ;charset=utf-8",
    ])
    func otherParametersAreIgnored(_ text: String) {
        #expect(JSONAPIMediaType(contentType: text) == JSONAPIMediaType())
    }

    @Test func extensionsAndProfilesAreRead() {
        let text = #"application/vnd.api+json; EXT="a  b"; profile=p; charset="utf-8""#
        #expect(JSONAPIMediaType(contentType: text) == JSONAPIMediaType(extensions: ["a", "b"], profiles: ["p"]))
        let type = JSONAPIMediaType(extensions: ["https://jsonapi.org/ext/atomic"], profiles: ["https://p.example"])
        #expect(JSONAPIMediaType(contentType: type.description) == type)
    }

    @Test(arguments: [
        "", "application/json", "text/html", "application/vnd.api+jsonx", "application/vnd.api+json/x",
        #"application/vnd.api+json;ext="a"#, "application/vnd.api+json;ext", "application/vnd.api+json;ext=",
        #"application/vnd.api+json;ext="a\"#, "application/vnd.api+json, text/html",
    ])
    func otherAndMalformedTypesAreRefused(_ text: String) {
        #expect(JSONAPIMediaType(contentType: text) == nil)
    }

    @Test func acceptListsChoicesInOrder() {
        #expect(JSONAPIMediaType.accept(JSONAPIMediaType()) == "application/vnd.api+json")
        #expect(
            JSONAPIMediaType.accept(
                JSONAPIMediaType(extensions: ["e"]), JSONAPIMediaType(profiles: ["p"]), JSONAPIMediaType())
                    == """
                    application/vnd.api+json;ext="e", application/vnd.api+json;profile="p";q=0.9, \
                    application/vnd.api+json;q=0.8
                    """)
    }
}
