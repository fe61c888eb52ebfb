// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Attributes", .inTurn)
struct AttributeTests {
    private func article(_ attributes: String, _ options: ResourceOptions = ResourceOptions()) throws -> Article? {
        try document(#"{"data":{"type":"articles","id":"1","attributes":\#(attributes)}}"#, options)
            .resource(as: Article.self)
    }

    @Test func nestedAttributesHaveNamesAndExclusionsOfTheirOwn() throws {
        let text = """
            {"mainTag":{"tagName":"a","id":1,"other":[],"parents":[{"tagName":"b","id":2,"parents":[{"tagName":"c","id":3}]}]},
             "tags":[{"tagName":"d","id":4},{}],"size":{"width":5}}
            """
        var article = try #require(try article(text))
        let tag = try #require(article.mainTag)
        #expect(tag.name == "a" && tag.id == 1 && tag.parents?[0].parents?[0] == Tag(name: "c", id: 3))
        #expect(article.tags == [Tag(name: "d", id: 4), Tag()] && article.size == Size(width: 5))
        #expect(!article.isDirty)
        article.mainTag?.parents?[0].parents?[0].name = "x"
        article.tags?[0].id = 9
        article.size = nil
        let expected: JSONValue = [
            "mainTag": [
                "tagName": "a", "parents": [["tagName": "b", "parents": [["tagName": "x"]]]],
            ],
            "tags": [["tagName": "d"], [:]], "size": nil,
        ]
        #expect(try json(article.resourceObject(sending: .changes))["attributes"] == expected)
    }

    @Test func errorsNameThePlaceInsideAnAttribute() throws {
        let rows: [(attributes: String, pointer: String, words: [String])] = [
            (#"{"title":1}"#, "title", ["String", "a number"]),
            (#"{"isPublic":null}"#, "isPublic", ["Bool", "null"]),
            (#"{"size":{"width":"x"}}"#, "size/width", ["Int"]),
            (#"{"size":[]}"#, "size", ["an array"]),
            (#"{"mainTag":"x"}"#, "mainTag", ["Tag", "a string"]),
            (#"{"mainTag":{"parents":[{},{"parents":[{"id":"x"}]}]}}"#, "mainTag/parents/1/parents/0/id", ["Int"]),
            (#"{"tags":[{},{"tagName":true}]}"#, "tags/1/tagName", ["String", "a boolean"]),
            (#"{"created":"yesterday"}"#, "created", ["yesterday", "date and time"]),
            (#"{"created":5}"#, "created", ["String", "a number"]),
        ]
        for row in rows {
            let error = try #require(resourceError { _ = try article(row.attributes) }, "\(row)")
            #expect(error.pointer.description == "/data/attributes/" + row.pointer)
            #expect(error.type == "articles" && error.id == "1")
            for word in row.words { #expect(error.description.contains(word), "\(error)") }
        }
    }

    @Test func unreadableFieldsAreSkippedIfAsked() throws {
        var options = ResourceOptions()
        options.unreadableFields = .skip
        let article = try #require(try article(#"{"title":1,"description":"B","isPublic":null,"size":{}}"#, options))
        #expect(article.title == nil && article.descriptionText == "B" && article.isPublic && !article.isDirty)
        #expect(!article.isPresent(\.title) && article.isPresent(\.descriptionText))
    }

    @Test func anyJSONIsAnAttribute() throws {
        let text = #"{"anything":[null,{"a":[1.50,"é",{"b":{}}]},true]}"#
        let article = try #require(try article(text))
        #expect(try json(article.resourceObject(sending: .all))["attributes"]?["anything"]?[1]?["a"]?[2] == ["b": [:]])
    }

    @Test func unknownAttributesAndRelationshipsAreIgnored() throws {
        let text = """
            {"data":{"type":"articles","id":"1","attributes":{"title":"A","color":"red","editor":"no relationship","@x":1},
              "relationships":{"publisher":{"data":{"type":"x","id":"1"}},"title":{"data":null}}}}
            """
        let document = try document(text)
        let article = try #require(try document.resource(as: Article.self))
        #expect(article.title == "A" && article.editor.linkage == .notLoaded && !article.isPresent(\.editor))
        #expect(document.raw.data?.resources.first?.attributes?["color"]?.text == #""red""#)
    }

    @Test func linkageOfTheWrongArityIsRefused() throws {
        let rows = [
            (#""editor":{"data":[]}"#, "/data/relationships/editor/data", FieldKind.toOne),
            (#""authors":{"data":{"type":"people","id":"1"}}"#, "/data/relationships/authors/data", FieldKind.toMany),
        ]
        for (member, pointer, kind) in rows {
            let text = #"{"data":{"type":"articles","id":"1","relationships":{\#(member)}}}"#
            let error = try #require(resourceError { _ = try document(text).resource(as: Article.self) })
            #expect(error.reason == .wrongLinkage(expected: kind) && error.pointer.description == pointer)
        }
        let null = #"{"data":{"type":"articles","id":"1","relationships":{"authors":{"data":null}}}}"#
        #expect(try document(null).resource(as: Article.self)?.authors.linkage == .to([]))
    }

    @Test func requiredFieldsAreRequiredOfWholeFieldsets() throws {
        let text = #"{"data":{"type":"books","id":"1","attributes":{"page-count":3}}}"#
        let error = try #require(resourceError { _ = try document(text).resource(as: Book.self) })
        #expect(error.reason == .missingField("isbn") && error.pointer.description == "/data/attributes")
        var options = ResourceOptions()
        options.fieldsets = ["books": ["page-count"]]
        #expect(try document(text, options).resource(as: Book.self)?.pageCount == 3)
        options.fieldsets = ["books": ["page-count", "isbn"]]
        #expect(throws: ResourceError.self) { try document(text, options).resource(as: Book.self) }
    }

    @Test func requiredFieldsCanBeMissingInAMerge() throws {
        var book = Book()
        book.isbn = "x"
        book.id = "1"
        try book.merge(ResourceObject(type: "books", id: "1", attributes: ["page-count": 7]))
        #expect(book.isbn == "x" && book.pageCount == 7 && !book.isDirty)
    }

    @Test func moreThanSixtyFourFieldsAreTracked() throws {
        struct Wide: Resource {
            var state = ResourceState<Wide>()
            var values: [Int: Int] = [:]
            subscript(index: Int) -> Int? {
                get { values[index] }
                set { values[index] = newValue }
            }
            static let schema = JSONAPISchema<Wide>("wide", fields: (0..<100).map { .attribute("f\($0)", \Wide[$0]) })
        }
        let text = #"{"data":{"type":"wide","id":"1","attributes":{"f99":1,"f64":2,"f0":3,"f63":null}}}"#
        var wide = try #require(try document(text).resource(as: Wide.self))
        #expect((0..<100).filter { wide.isPresent(\Wide[$0]) } == [0, 63, 64, 99])
        try wide.touch(\Wide[70])
        wide[64] = 5
        #expect(wide.changes.names == ["f64", "f70"] && wide.changes[\Wide[64]]?.old == 2)
        wide.markClean()
        #expect(wide.isPresent(\Wide[70]) && !wide.isDirty)
    }

    @Test func keyStrategiesChangeNames() throws {
        #expect(Book.schema.name(of: \.pageCount) == "page-count" && Book.schema["page-count"]?.path == \Book.pageCount)
        let rows: [(String, kebab: String, snake: String, camel: String)] = [
            ("mainTag", "main-tag", "main_tag", "mainTag"),
            ("htmlURLOfTag", "html-url-of-tag", "html_url_of_tag", "htmlUrlOfTag"),
            ("main_tag", "main-tag", "main_tag", "mainTag"), ("x", "x", "x", "x"), ("", "", "", ""),
            ("größe2D", "größe2-d", "größe2_d", "größe2D"),
        ]
        for row in rows {
            #expect(KeyStrategy.kebab(row.0) == row.kebab)
            #expect(KeyStrategy.snake(row.0) == row.snake)
            #expect(KeyStrategy.camel(row.0) == row.camel)
        }
        #expect(KeyStrategy.custom { $0 + "!" }("a") == "a!")
    }

    @Test func composedSchemasHaveAllFields() throws {
        #expect(Contact.schema.fields.map(\.name) == ["name", "age", "favoriteArticle", "phone"])
        #expect(Contact.schema.name(of: \.person.name) == "name" && Contact.schema.name(of: \.phone) == "phone")
        let text = """
            {"data":{"type":"contacts","id":"1","attributes":{"name":"Dan","phone":"5"},
              "relationships":{"favoriteArticle":{"data":{"type":"articles","id":"1"}}}}}
            """
        var contact = try #require(try document(text).resource(as: Contact.self))
        contact.name = "Eve"
        contact.favoriteArticle = nil
        #expect(
            try json(contact.resourceObject(sending: .changes)) == [
                "type": "contacts", "id": "1", "attributes": ["name": "Eve"],
                "relationships": ["favoriteArticle": ["data": nil]],
            ])
        #expect(contact.isPresent(\.person.name) && !contact.isPresent(\.person.age))
        #expect(contact.changes[\.person.name]?.old == "Dan")
    }

    @Test func valuesThatCannotBeWrittenAreErrors() throws {
        struct Reading: Resource {
            var state = ResourceState<Reading>()
            var value: Double?
            static let schema = JSONAPISchema<Reading>("readings", .attribute("value", \.value))
        }
        var reading = Reading()
        reading.value = .nan
        let error = try #require(resourceError { _ = try reading.resourceObject(sending: .new) })
        #expect(error.field == "value" && error.description.contains("Could not write"))
    }
}
