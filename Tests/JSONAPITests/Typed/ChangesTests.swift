// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Changes and PATCH", .inTurn)
struct ChangesTests {
    private func article() throws -> Article {
        let text = """
            {"data":{"type":"articles","id":"1",
              "attributes":{"title":"A","description":"B","isPublic":false,"slug":"a","views":3},
              "relationships":{
                "authors":{"links":{"self":"/l"},"data":[{"type":"people","id":"1","meta":{"n":1}},{"type":"people","id":"2"}]},
                "editor":{"links":{"related":"/e"}}}}}
            """
        return try #require(try document(text).resource(as: Article.self))
    }

    @Test func unchangedResourceIsClean() throws {
        var article = try article()
        #expect(!article.isDirty && !article.isNew && article.changes.isEmpty)
        #expect(try json(article.resourceObject(sending: .changes)) == ["type": "articles", "id": "1"])
        article.title = "C"
        #expect(article.isDirty)
        article.title = "A"
        #expect(!article.isDirty)
    }

    @Test func onlyChangesAreSent() throws {
        var article = try article()
        article.title = "C"
        article.descriptionText = nil
        article.authors = ["2"]
        article.editor = nil
        article.slug = "other"
        article.views = 9
        let expected: JSONValue = [
            "type": "articles", "id": "1", "attributes": ["title": "C", "description": nil],
            "relationships": [
                "authors": ["data": [["type": "people", "id": "2"]]], "editor": ["data": nil],
            ],
        ]
        #expect(try json(article.resourceObject(sending: .changes)) == expected)
        #expect(article.changes.names == ["title", "description", "authors", "editor"])
        let title = try #require(article.changes[\.title])
        #expect(title.old == "A" && title.new == "C")
        #expect(article.changes[\.isPublic] == nil)
        #expect(
            article.changes.attributes.first
                == AttributeChange(name: "title", old: RawJSON(JSONValue("A")), new: RawJSON(JSONValue("C"))))
    }
}
