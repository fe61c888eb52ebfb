// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Documents of the specification", .inTurn)
struct SpecificationDocumentTests {
    @Test func thereAreSeventy() {
        #expect(SpecificationDocument.all.count == 70)
    }

    @Test(arguments: SpecificationDocument.all)
    func documentIsWrittenEqual(_ example: SpecificationDocument) throws {
        let document = try RawDocument(parsing: Array(example.text.utf8))
        #expect(try JSONValue(parsing: document.bytes) == JSONValue(parsing: example.text))
        #expect(try RawDocument(parsing: document.bytes) == document)
    }

    @Test(arguments: SpecificationDocument.all)
    func codersReadAndWriteTheSame(_ example: SpecificationDocument) throws {
        let document = try WireJSONDecoder().decode(RawDocument.self, from: Array(example.text.utf8))
        #expect(try document == RawDocument(parsing: Array(example.text.utf8)))
        #expect(try WireJSONEncoder().encode(document) as [UInt8] == document.bytes)
    }

    @Test(arguments: SpecificationDocument.all)
    func linterFindsNothing(_ example: SpecificationDocument) throws {
        var linter = DocumentLinter()
        linter.extensionNamespaces = ["atomic", "version"]
        linter.allowsNewResources = true
        let findings = try linter.findings(in: Array(example.text.utf8))
        #expect(findings.map { "\($0.rule) \($0.pointer)" } == Self.defects[example.section, default: []])
    }

    /// The defects of fragments, of a faulty example of the specification, of an answer with sparse fieldsets, and of a
    /// profile's examples.
    private static let defects: [String: [String]] = [
        "JSON:API Object": ["topLevelMembers "],
        "Advanced source Usage": ["topLevelMembers ", "undefinedMember /datum"],
        "Sparse Fieldsets (3)": ["fullLinkage /included/0"],
        "Cursor pagination: Terms": ["relationshipLinks /data/0/relationships/friends/links"],
        "Cursor pagination: Max Page Size Exceeded Error": ["link /errors/0/links/type"],
    ]
}
