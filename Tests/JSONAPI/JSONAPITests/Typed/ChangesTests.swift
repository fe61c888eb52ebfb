// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
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

    @Test func sparseResourceSendsOneMember() throws {
        let text = #"{"data":{"type":"articles","id":"1","attributes":{"title":"A"}}}"#
        var article = try #require(try document(text).resource(as: Article.self))
        #expect(article.isPresent(\.title) && !article.isPresent(\.descriptionText) && !article.isPresent(\.authors))
        article.title = "B"
        #expect(
            try json(article.resourceObject(sending: .changes))
                == ["type": "articles", "id": "1", "attributes": ["title": "B"]])
    }

    @Test func absentFieldsAreSentWhenAssignedOrTouched() throws {
        let text = #"{"data":{"type":"articles","id":"1","attributes":{"title":"A"}}}"#
        var article = try #require(try document(text).resource(as: Article.self))
        article.descriptionText = nil
        #expect(!article.isDirty)
        try article.touch(\.descriptionText)
        article.authors = []
        #expect(
            try json(article.resourceObject(sending: .changes)) == [
                "type": "articles", "id": "1", "attributes": ["description": nil],
                "relationships": ["authors": ["data": []]],
            ])
        #expect(article.isDirty)
        article.rollback()
        #expect(!article.isDirty && article.authors.linkage == .notLoaded)
    }

    @Test func linkOnlyRelationshipsSurviveAndAreNeverSent() throws {
        var article = try article()
        #expect(article.editor.linkage == .notLoaded && article.editor.links.related?.href == "/e")
        try article.touch(\.editor)
        #expect(try json(article.resourceObject(sending: .changes)) == ["type": "articles", "id": "1"])
        #expect(try json(article.resourceObject(sending: .all))["relationships"]?["editor"] == nil)
        #expect(try json(article.resourceObject(sending: .new))["relationships"]?["editor"] == nil)
        #expect(
            try json(article.toResourceObject())["relationships"]?["editor"] == ["links": ["related": "/e"]])
    }

    @Test func creationSendsWhatIsThere() throws {
        var article = Article()
        #expect(article.isNew)
        article.title = "A"
        article.slug = "a"
        article.views = 1
        try article.touch(\.descriptionText)
        let expected: JSONValue = [
            "type": "articles", "attributes": ["title": "A", "description": nil, "isPublic": true, "slug": "a"],
        ]
        #expect(try json(article.resourceObject(sending: .new)) == expected)
        article.id = "own"
        #expect(try json(article.resourceObject(sending: .new))["id"] == "own")
        #expect(
            try json(article.resourceObject(sending: .changes))
                == ["type": "articles", "id": "own", "attributes": ["title": "A", "description": nil]])
    }

    @Test func everythingIsSentIfAsked() throws {
        let attributes = try #require(try json(article().resourceObject(sending: .all))["attributes"]?.objectValue)
        #expect(attributes.keys == ["title", "description", "isPublic"], "the server has not sent the others")
        let new = try #require(try json(Article().resourceObject(sending: .all))["attributes"]?.objectValue)
        #expect(new.keys.count == 8 && new["mainTag"] == .null && new["isPublic"] == true)
    }

    @Test func toManyChangesAreDifferences() throws {
        var article = try article()
        article.authors = ["3", "2", "1"]
        let change = try #require(article.changes.relationships.first)
        #expect(change.name == "authors" && change.added.map(\.id) == ["3"] && change.removed == [])
        #expect(change.isReordered)
        article.authors.ids = ["1", "2"]
        #expect(!article.isDirty, "meta information of the server's references is no change")
        article.authors.remove("1")
        article.authors.insert("9")
        article.authors.insert("9")
        let second = try #require(article.changes.relationships.first)
        #expect(second.added.map(\.id) == ["9"] && second.removed.map(\.id) == ["1"] && !second.isReordered)
        #expect(article.changes.old.authors.links["self"]?.href == "/l", "an assigned value has no links")
        article.rollback()
        article.authors.ids = ["5"]
        #expect(article.authors.links["self"]?.href == "/l")
    }

    @Test func changedMetaOfAReferenceIsSent() throws {
        var article = try article()
        article.authors.identifiers[1].meta = ["role": "x"]
        #expect(
            try json(article.resourceObject(sending: .changes))["relationships"]?["authors"]?["data"]?[1]?["meta"]
                == ["role": "x"])
    }

    @Test func rollbackRestoresTheReceivedValue() throws {
        let original = try article()
        var article = original
        article.title = nil
        article.authors = []
        try article.touch(\.descriptionText)
        article.rollback()
        #expect(article == original && !article.isDirty && article.isPresent(\.title))
        #expect(article.authors.identifiers[0].meta == ["n": 1])
        var new = Article()
        new.identify()
        let lid = new.lid
        new.title = "x"
        new.rollback()
        #expect(new.title == nil && new.lid == lid && new.isNew)
    }

    @Test func responseIsMerged() throws {
        var article = try article()
        article.title = "C"
        article.authors = ["7"]
        let response = """
            {"data":{"type":"articles","id":"1","links":{"self":"/articles/1"},
              "attributes":{"title":"Server's","views":4},"relationships":{"authors":{"links":{"self":"/new"}}}}}
            """
        try article.merge(try document(response))
        #expect(article.title == "Server's" && article.views == 4 && article.descriptionText == "B")
        #expect(article.authors.ids == ["7"] && article.authors.links["self"]?.href == "/new")
        #expect(article.links["self"]?.href == "/articles/1" && !article.isDirty)
        article.title = nil
        #expect(article.changes.names == ["title"])
    }

    @Test func failedMergeChangesNothing() throws {
        var article = try article()
        article.title = "C"
        let before = article
        let bodies = [
            #"{"data":{"type":"articles","id":"1","attributes":{"title":"D","views":"many"}}}"#,
            #"{"data":{"type":"articles","id":"2","attributes":{"title":"D"}}}"#,
            #"{"data":{"type":"people","id":"1"}}"#,
            #"{"data":[]}"#,
            #"{"data":{"type":"articles","id":"1"},"included":[{"type":"people","id":"1","attributes":{"age":""}}]}"#,
        ]
        for body in bodies {
            let answer = try document(body)
            #expect(throws: ResourceError.self) { try article.merge(answer) }
            #expect(article == before && article.changes.names == ["title"] && article.isDirty)
        }
    }

    @Test func emptyAnswersConfirmWhatWasSent() throws {
        var article = try article()
        article.title = "C"
        article.markClean()
        #expect(!article.isDirty)
        article.title = "A"
        #expect(article.isDirty)
        article.rollback()
        #expect(article.title == "C")

        var created = Article()
        created.id = "own"
        created.title = "A"
        try created.merge(try document(#"{"meta":{}}"#))
        #expect(!created.isNew && !created.isDirty && created.isPresent(\.title) && !created.isPresent(\.views))
    }

    @Test func localIDsAreReplacedByTheServers() throws {
        var person = Person()
        let reference = person.identify()
        #expect(person.identify() == reference && person.lid != nil)
        #expect(try json(person.resourceObject(sending: .new))["lid"] == .string(person.lid?.rawValue ?? ""))
        var article = Article()
        article.identify()
        article.authors.insert(reference)
        article.editor = ToOne(person)
        #expect(article.lid != person.lid)
        #expect(
            try json(article.resourceObject(sending: .new))["relationships"]?["editor"]?["data"]
                == ["type": "people", "lid": .string(person.lid?.rawValue ?? "")])
        article.markClean()
        try person.merge(try #require(try document(#"{"data":{"type":"people","id":"8"}}"#).raw.data?.resources.first))
        article.replaceLocalID(of: person)
        #expect(article.authors.ids == ["8"] && article.editor.id == "8" && !article.isDirty)
        #expect(person.id == "8" && !person.isNew)
    }

    @Test func datesThatAreWrittenDifferentlyAreNoChange() throws {
        let text = #"{"data":{"type":"articles","id":"1","attributes":{"created":"2026-01-31T13:00:00+01:00"}}}"#
        var article = try #require(try document(text).resource(as: Article.self))
        let created = try #require(article.created)
        #expect(!article.isDirty)
        article.created = created.addingTimeInterval(0.5)
        #expect(
            try json(article.resourceObject(sending: .changes))["attributes"] == ["created": "2026-01-31T12:00:00.500Z"]
        )
        article.created = created
        #expect(!article.isDirty)
        #expect(try json(article.resourceObject(sending: .all))["attributes"]?["created"] == "2026-01-31T12:00:00Z")
    }
}
