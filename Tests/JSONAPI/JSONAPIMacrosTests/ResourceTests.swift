// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONAPIMacros
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ResourceTests {
    private static let document = """
        {"data": {"type": "articles", "id": "1",
            "attributes": {"title": "To TDD or Not", "description": "About tests", "views": 7, "slug": "tdd",
                "created": "2026-01-31T12:00:00Z", "isPublic": false, "unknown": 1,
                "mainTag": {"tagName": "swift", "id": 5, "parents": [{"tagName": "languages", "id": 6}]}},
            "relationships": {"authors": {"data": [{"type": "people", "id": "2"}]},
                "editor": {"data": null},
                "helpers": {"data": [{"type": "people", "id": "2"}, {"type": "organizations", "id": "3"},
                    {"type": "robots", "id": "4"}]}}},
         "included": [
            {"type": "people", "id": "2", "attributes": {"name": "Dan", "age": 30},
                "relationships": {"favoriteArticle": {"data": {"type": "articles", "id": "1"}}}},
            {"type": "organizations", "id": "3", "attributes": {"display-name": "Initech"}},
            {"type": "robots", "id": "4", "attributes": {"wheels": 4}}]}
        """

    private func read<R: Resource>(_ type: R.Type) throws -> R {
        let document = try JSONAPIDocument(parsing: Array(Self.document.utf8))
        return try #require(try document.resource(as: R.self))
    }

    private func json(_ object: ResourceObject) throws -> JSONValue? {
        try JSONValue(parsing: RawDocument(data: .single(object)).bytes)["data"]
    }

    @Test func readsAttributes() throws {
        let article = try read(Article.self)
        #expect(article.id == "1")
        #expect(article.title == "To TDD or Not")
        #expect(article.descriptionText == "About tests")
        #expect(article.views == 7)
        #expect(article.created == Date(timeIntervalSince1970: 1_769_860_800))
        #expect(!article.isPublic)
        #expect(article.mainTag == Tag(name: "swift", id: 5, parents: [Tag(name: "languages", id: 6)]))
        #expect(!article.isSelected)
    }

    @Test func readsRelationshipsThroughTheGraph() throws {
        let article = try read(Article.self)
        #expect(article.authors.values.map(\.name) == ["Dan"])
        #expect(article.authors.values.first?.favoriteArticle.value?.title == article.title)
        #expect(article.editor.linkage == .empty)
    }

    @Test func readsUnionsWithUnknownTypes() throws {
        let contributors = try read(Article.self).contributors.values
        try #require(contributors.count == 3)
        guard case .person(let person) = contributors[0], case .organization(let organization) = contributors[1],
            case .unknown(let object) = contributors[2]
        else {
            Issue.record("The contributors have the wrong cases: \(contributors)")
            return
        }
        #expect(person.name == "Dan")
        #expect(organization.name == "Initech")
        #expect(object.type == "robots")
        #expect(contributors.map { $0.toResourceIdentifierObject()?.id } == ["2", "3", "4"])
        #expect(contributors.map { $0.toResourceIdentifierObject()?.type } == ["people", "organizations", "robots"])
    }

    @Test func aNewUnionRelationshipIsSent() throws {
        var person = Person()
        person.id = "9"
        var article = Article()
        article.contributors = ToMany([Contributor.person(person)])
        let sent = try json(article.resourceObject(sending: .new))
        #expect(sent?["relationships"]?["helpers"]?["data"]?[0]?["id"] == "9")
    }

    @Test func schemasAreThoseWrittenByHand() {
        #expect(Article.schema.type == ByHand.Article.schema.type)
        #expect(Article.schema.fields.map(\.name) == ByHand.Article.schema.fields.map(\.name))
        #expect(Article.schema.fields.map(\.kind) == ByHand.Article.schema.fields.map(\.kind))
        #expect(Article.schema.fields.map(\.options) == ByHand.Article.schema.fields.map(\.options))
        #expect(Article.schema.name(of: \.descriptionText) == "description")
        #expect(Article.schema.name(of: \.isSelected) == nil)
    }

    @Test func bodiesOfPATCHAreThoseOfAResourceWrittenByHand() throws {
        var article = try read(Article.self)
        var byHand = try read(ByHand.Article.self)
        #expect(!article.isDirty)
        article.isSelected = true
        #expect(!article.isDirty, "a property without an attribute is no field")
        (article.title, byHand.title) = (nil, nil)
        (article.slug, byHand.slug) = ("new", "new")
        (article.views, byHand.views) = (8, 8)
        article.mainTag?.name = "Swift"
        byHand.mainTag?.name = "Swift"
        (article.editor, byHand.editor) = ("2", "2")
        let sent = try json(article.resourceObject(sending: .changes))
        #expect(sent == (try json(byHand.resourceObject(sending: .changes))))
        #expect(sent?["attributes"]?["title"] == .null)
        #expect(sent?["attributes"]?["views"] == nil)
        #expect(sent?["attributes"]?["slug"] == nil)
        #expect(sent?["attributes"]?["mainTag"]?["tagName"] == "Swift")
        #expect(sent?["attributes"]?["mainTag"]?["id"] == nil)
        #expect(sent?["relationships"]?["editor"]?["data"]?["id"] == "2")
        #expect(sent?["relationships"]?["authors"] == nil)
        #expect(article.changes.names == byHand.changes.names)
        article.rollback()
        #expect(!article.isDirty)
    }

    @Test func bodiesOfPOSTAreThoseOfAResourceWrittenByHand() throws {
        let article = Article(
            title: "A", slug: "a", created: Date(timeIntervalSince1970: 0), tags: [Tag(name: "t", id: 1)],
            authors: ["1", "2"], editor: nil)
        var byHand = ByHand.Article()
        byHand.title = "A"
        byHand.slug = "a"
        byHand.created = Date(timeIntervalSince1970: 0)
        byHand.tags = [Tag(name: "t", id: 1)]
        byHand.authors = ["1", "2"]
        byHand.editor = nil
        let sent = try json(article.resourceObject(sending: .new))
        #expect(sent == (try json(byHand.resourceObject(sending: .new))))
        #expect(sent?["attributes"]?["created"] == "1970-01-01T00:00:00Z")
    }

    @Test func initializersTakeFields() {
        #expect(Person(name: "Dan").name == "Dan")
        #expect(Person() == Person(name: nil))
        #expect(Article().isPublic)
        #expect(Person(name: "Dan").isNew)
        #expect(Person(favoriteArticle: "7").favoriteArticle.id == "7")
        #expect(Space.Thing().label == "made")
        #expect(Space.Thing(label: "l").label == "l")
        #expect(Space.seats() == 3)
        #expect(BlogPost(default: 4).default == 4)
        #expect(BlogPost().isDraft == nil)
    }

    @Test func keyStrategiesChangeOnlyNamesThatAreNotWritten() {
        #expect(BlogPost.resourceType == "BlogPost")
        #expect(
            BlogPost.schema.fields.map(\.name)
                == ["main-title", "html_URL", "default", "rating", "is-draft", "next"])
        #expect(BlogPost.schema["default"]?.options == .required)
    }

    @Test func missingRequiredFieldsAreErrors() throws {
        let document = try JSONAPIDocument(
            parsing: Array(#"{"data": {"type": "BlogPost", "id": "1", "attributes": {"main-title": "A"}}}"#.utf8))
        #expect(throws: ResourceError.self) { try document.resource(as: BlogPost.self) }
    }
}
