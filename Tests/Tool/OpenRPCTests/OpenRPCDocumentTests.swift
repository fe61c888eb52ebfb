// swift-jsonrpc · SPDX-License-Identifier: MIT

import OpenRPC
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct OpenRPCDocumentTests {
    private func document(_ text: String) throws(OpenRPCError) -> OpenRPCDocument {
        try OpenRPCDocument(parsing: Array(text.utf8))
    }

    @Test func methodsAreRead() throws {
        let document = try document(bookshopDocument)
        #expect(document.title == "Book shop")
        #expect(document.version == "1.0.0")
        #expect(document.methods.map(\.name) == ["books.find", "order", "log", "ping", "shelf", "any-thing"])
        let find = document.methods[0]
        #expect(find.paramStructure == .byName)
        #expect(find.params.map(\.name) == ["query", "max-count", "genre"])
        #expect(find.params.map(\.isRequired) == [true, false, false])
        #expect(find.params[2].schema.form == .reference("#/components/schemas/genre"))
        #expect(find.errors.map(\.code) == [-32000, -32001])
        #expect(find.result?.schema.form == .array(JSONSchema(["$ref": "#/components/schemas/book"])))
        #expect(document.methods[1].isDeprecated)
        #expect(document.methods[2].result == nil)
        #expect(document.methods[2].paramStructure == .either)
        #expect(document.methods[5].result?.schema.form == .any)
    }

    @Test(arguments: [
        ("", "Could not parse the document. The text is not valid JSON"),
        ("[]", "Expected an object at the top level, found an array."),
        ("{}", "Expected a string at openrpc, found nothing."),
        (#"{"openrpc":"1.3.2"}"#, "Expected an object at info, found nothing."),
        (
            #"{"openrpc":"1.3.2","info":{"title":"x","version":1}}"#,
            "Expected a string at info.version, found a number."
        ),
        (#"{"openrpc":"1.3.2","info":{"title":"x","version":"1"}}"#, "Expected an array at methods, found nothing."),
        (
            #"{"openrpc":"1","info":{"title":"x","version":"1"},"methods":[{}]}"#,
            "Expected a string at methods[0].name, found nothing."
        ),
        (
            #"{"openrpc":"1","info":{"title":"x","version":"1"},"methods":[{"name":"m","params":{}}]}"#,
            "Expected an array at methods[0] (m).params, found an object."
        ),
        (
            ##"{"openrpc":"1","info":{"title":"x","version":"1"},"methods":[{"$ref":"#/nowhere"}]}"##,
            "methods[0] refers to #/nowhere, which does not exist in the document."
        ),
        (
            ##"{"openrpc":"1","info":{"title":"x","version":"1"},"methods":[{"$ref":"#/methods/0"}]}"##,
            "methods[0] refers to #/methods/0, which refers back to itself."
        ),
        (
            #"{"openrpc":"1","info":{"title":"x","version":"1"},"methods":[{"$ref":"http://x/y.json#/a"}]}"#,
            "refers to another document, http://x/y.json#/a"
        ),
        (
            #"{"openrpc":"1","info":{"title":"x","version":"1"},"methods":[{"name":"m","paramStructure":"some"}]}"#,
            #"methods[0] (m).paramStructure is "some". Expected "by-name", "by-position" or "either"."#
        ),
    ])
    func errorsNameTheirPlaceInTheDocument(_ text: String, _ expected: String) {
        let error = #expect(throws: OpenRPCError.self) { try document(text) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("#/a~1b/c~0d/2", "deep"), ("#/%61~1b/c~0d/2", "deep"), ("#%2Fa~1b%2fc~0d/2", "deep"), ("#/", "empty"),
    ])
    func pointersAreFollowed(_ reference: String, _ expected: String) throws {
        #expect(try document(withMethod: reference).methods.map(\.name) == [expected])
    }

    @Test(arguments: ["#/a~1b/c~0d/02", "#/a~1b/c~0d/+2", "#/%+1", "#/%4", "#/~2", "#a", "/a~1b/c~0d/2"])
    func otherPointersAreRefused(_ reference: String) {
        #expect(throws: OpenRPCError.self) { try document(withMethod: reference) }
    }

    private func document(withMethod reference: String) throws -> OpenRPCDocument {
        try document(
            """
            {"openrpc":"1","info":{"title":"x","version":"1"},"methods":[{"$ref":"\(reference)"}],
             "a/b":{"c~d":[0,1,{"name":"deep"}]},"":{"name":"empty"}}
            """)
    }
}
