// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Polymorphic relationships", .inTurn)
struct UnionTests {
    private static let text = """
        {"data":{"type":"books","id":"1","attributes":{"isbn":"x","page-count":3},"relationships":{
            "contributors":{"data":[{"type":"people","id":"1"},{"type":"contacts","id":"1"},{"type":"robots","id":"1"},
              {"type":"people","id":"404"}]},
            "owner":{"data":{"type":"contacts","id":"1"}},
            "related":{"data":[{"type":"contacts","id":"1"},{"type":"robots","id":"1"}]}}},
         "included":[{"type":"people","id":"1","attributes":{"name":"Dan"}},
            {"type":"contacts","id":"1","attributes":{"name":"Eve","phone":"5"},"relationships":{
              "favoriteArticle":{"data":{"type":"articles","id":"1"}}}},
            {"type":"robots","id":"1","attributes":{"model":"R"}},
            {"type":"articles","id":"1","attributes":{"title":"A"}}]}
        """

    @Test func unionsHaveACaseForEachTypeAndUnknownOnes() throws {
        let book = try #require(try document(Self.text).resource(as: Book.self))
        let values = book.contributors.values
        #expect(book.contributors.count == 4 && values.count == 3)
        guard case .person(let dan) = values[0], case .contact(let eve) = values[1],
            case .unknown(let robot) = values[2]
        else {
            Issue.record("\(values)")
            return
        }
        #expect(dan.name == "Dan" && robot.type == "robots")
        #expect(eve.name == "Eve" && eve.phone == "5" && eve.favoriteArticle.title == "A")
        #expect(book.owner.value == .contact(eve))
    }

    @Test func unionsAreSent() throws {
        var book = try #require(try document(Self.text).resource(as: Book.self))
        #expect(!book.isDirty)
        book.contributors.identifiers.removeLast(2)
        book.contributors.insert(ResourceIdentifier(Person.ID("9")))
        book.owner = nil
        let relationships = try json(book.resourceObject(sending: .changes))["relationships"]
        #expect(
            relationships == [
                "contributors": [
                    "data": [
                        ["type": "people", "id": "1"], ["type": "contacts", "id": "1"], ["type": "people", "id": "9"],
                    ]
                ], "owner": ["data": nil],
            ])
    }

    @Test func anyTypeIsReadThroughTheRegistry() throws {
        var options = ResourceOptions()
        options.registry = ResourceRegistry(Contact.self)
        let book = try #require(try document(Self.text, options).resource(as: Book.self))
        let related = book.related.values
        #expect(related.count == 2 && related[0].resource(as: Contact.self)?.phone == "5")
        #expect(related[1].resource == nil && related[1].object.type == "robots")
        #expect(try document(Self.text).resource(as: Book.self)?.related.values[0].resource == nil)
    }

    @Test func primaryDataCanBeMixed() throws {
        let text = """
            {"data":[{"type":"people","id":"1"},{"type":"contacts","id":"2","attributes":{"phone":"1"}},{"type":"x","id":"3"}]}
            """
        let document = try document(text)
        let contributors = try document.resources(as: Contributor.self)
        #expect(contributors.map { $0.toResourceIdentifierObject()?.id } == ["1", "2", "3"])
        #expect(try document.resources(as: AnyResource.self).map(\.object.type) == ["people", "contacts", "x"])
        let error = try #require(resourceError { _ = try document.resources(as: Person.self) })
        #expect(error.reason == .wrongType(expected: ["people"]) && error.pointer.description == "/data/1")
    }

    @Test func referencesToOtherTypesAreKept() throws {
        let text = """
            {"data":{"type":"articles","id":"1","relationships":{"editor":{"data":{"type":"robots","id":"1"}},
              "authors":{"data":[{"type":"robots","id":"1"},{"type":"people","id":"2"}]}}},
             "included":[{"type":"robots","id":"1"}]}
            """
        var article = try #require(try document(text).resource(as: Article.self))
        #expect(article.editor.id == nil && article.editor.identifier?.type == "robots" && article.editor.value == nil)
        #expect(article.authors.ids == ["2"] && article.authors.count == 2)
        article.authors.insert("3")
        let data = try json(article.resourceObject(sending: .changes))["relationships"]?["authors"]?["data"]
        #expect(data?.arrayValue?.count == 3 && data?[0]?["type"] == "robots")
    }
}
