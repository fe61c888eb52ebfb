// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing
import WireJSON

/// The samples of the documentation.
@Suite("Samples", .inTurn)
struct ArticleTests {
    struct Article: Decodable { var title: String }

    @Test func documentsAreReadAndChecked() throws {
        let body = Array(
            #"{"data":{"type":"articles","attributes":{"title":"A"},"relationships":{"author":{"data":null}}}}"#.utf8)
        let document = try RawDocument(parsing: body)
        for resource in document.data?.resources ?? [] {
            let article = try resource.attributes?.decode(as: Article.self)
            let author = resource.relationships?["author"]?.data
            #expect(article?.title == "A")
            #expect(author == .toOne(nil))
        }

        var linter = DocumentLinter()
        linter.allowsNewResources = true
        let findings = try linter.findings(in: document)
        #expect(findings.isEmpty)
    }
}
