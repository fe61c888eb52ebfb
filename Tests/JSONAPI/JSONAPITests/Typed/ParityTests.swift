// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing
import WireJSON

/// One test for each feature of the library JsonAPI 2.0 at the level of resources, and for each of its known faults.
@Suite("Parity with JsonAPI", .inTurn)
struct JsonAPIParityTests {
    @Test func resourceWithPlainVariablesAndDefaults() throws {
        let article = try #require(
            try document(#"{"data":{"type":"articles","id":"1","attributes":{"title":"A"}}}"#).resource(
                as: Article.self))
        #expect(article.title == "A" && article.isPublic && article.tags == nil)
    }

    @Test func resourceType() { #expect(Article.resourceType == "articles" && Article.schema.type == "articles") }

    @Test func attributesKeysRenameAttributesAndRelationships() throws {
        struct Page: Resource {
            var state = ResourceState<Page>()
            var text: String?
            var coAuthors = ToMany<Person>()
            static let schema = JSONAPISchema<Page>(
                "pages", .attribute("body", \.text), .relationship("coauthors", \.coAuthors))
        }
        let text = """
            {"data":{"type":"pages","id":"1","attributes":{"body":"B"},
              "relationships":{"coauthors":{"data":[{"type":"people","id":"1"}]}}}}
            """
        let page = try #require(try document(text).resource(as: Page.self))
        #expect(page.text == "B" && page.coAuthors.ids == ["1"])
        #expect(try json(page.toResourceObject()) == JSONValue(parsing: text)["data"])
    }

    @Test func excludedAttributesAreReadAndNotSent() throws {
        let text = #"{"data":{"type":"articles","id":"1","attributes":{"views":3}}}"#
        let article = try #require(try document(text).resource(as: Article.self))
        #expect(article.views == 3)
        for selection in [FieldSelection.new, .changes, .all] {
            #expect(try json(article.resourceObject(sending: selection))["attributes"]?["views"] == nil)
        }
        #expect(try json(article.toResourceObject()) == ["type": "articles", "id": "1"])
    }

    @Test func untypedObjectsAndArraysAreAttributes() throws {
        struct Thing: Resource {
            var state = ResourceState<Thing>()
            var object: JSONObject?
            var array: [JSONValue]?
            static let schema = JSONAPISchema<Thing>(
                "things", .attribute("object", \.object), .attribute("array", \.array))
        }
        let text =
            #"{"data":{"type":"things","id":"1","attributes":{"object":{"a":[{"b":null}]},"array":[1,[{"c":[]}],"x"]}}}"#
        let thing = try #require(try document(text).resource(as: Thing.self))
        #expect(thing.object?["a"]?[0]?["b"] == .null && thing.array?.count == 3)
        #expect(try json(thing.toResourceObject()) == JSONValue(parsing: text)["data"])
    }

    @Test func idMetaAndLinksOfAResource() throws {
        let text = #"{"data":{"type":"people","id":"1","links":{"self":"/1","custom":null},"meta":{"m":[1]}}}"#
        var person = try #require(try document(text).resource(as: Person.self))
        #expect(person.id == "1" && person.meta == ["m": [1]] && person.links["self"]?.href == "/1")
        #expect(person.links.custom == .null && person.lid == nil)
        #expect(try json(person.toResourceObject()) == JSONValue(parsing: text)["data"])
        person.meta = nil
        person.links["self"] = nil
        #expect(person.links.members.names == ["custom"] && person.meta == nil && !person.isDirty)
    }

    @Test func toOneAndToManyRelationships() throws {
        var article = Article()
        article.editor = "1"
        article.authors = ["1", "2"]
        #expect(article.editor.id == "1" && article.authors.ids == ["1", "2"])
        article.editor = nil
        #expect(article.editor.linkage == .empty)
    }

    @Test func includedResourcesAreLinkedInBothDirections() throws {
        let article = try document(GraphTests.compound).resources(as: Article.self)[0]
        #expect(article.editor.value?.favoriteArticle.value == article)
        #expect(article.authors.values[0].favoriteArticle.editor.id == "404")
    }

    @Test func inheritedTypeInIncluded() throws {
        let text = """
            {"data":{"type":"books","id":"1","attributes":{"isbn":"x"},
              "relationships":{"owner":{"data":{"type":"contacts","id":"1"}}}},
             "included":[{"type":"contacts","id":"1","attributes":{"name":"Dan","phone":"5"}}]}
            """
        let book = try #require(try document(text).resource(as: Book.self))
        guard case .contact(let contact)? = book.owner.value else {
            Issue.record("\(String(describing: book.owner.value))")
            return
        }
        #expect(contact.name == "Dan" && contact.phone == "5")
        #expect(try json(contact.toResourceObject())["attributes"] == ["name": "Dan", "phone": "5"])
    }

    @Test func stubOfAResourceThatIsNotIncluded() throws {
        let text = """
            {"data":{"type":"people","id":"1","relationships":{"favoriteArticle":{"data":{"type":"articles","id":"2"}}}}}
            """
        var options = ResourceOptions()
        options.makesStubs = true
        #expect(try document(text, options).resource(as: Person.self)?.favoriteArticle.value?.id == "2")
    }

    @Test func equalityComparesFields() throws {
        var first = Article()
        first.id = "1"
        var second = first
        #expect(first == second)
        second.authors = ["1"]
        #expect(first != second)
        second = first
        second.id = "2"
        #expect(first != second)
    }

    @Test func conversionsToAndFromObjects() throws {
        var person = Person()
        #expect(person.toResourceIdentifierObject() == nil && person.toRelationshipObject().data == .toOne(nil))
        person.id = "1"
        person.name = "Dan"
        #expect(person.toResourceIdentifierObject() == ResourceIdentifierObject(type: "people", id: "1"))
        #expect(person.toRelationshipObject().data == .toOne(ResourceIdentifierObject(type: "people", id: "1")))
        let copy = try Person(resourceObject: person.toResourceObject())
        #expect(copy == person && !copy.isNew && copy.favoriteArticle.linkage == .notLoaded)
        #expect(throws: ResourceError.self) { try Article(resourceObject: person.toResourceObject()) }
    }

    @Test func nullAttributesAndRelationshipsAreSentIfAllAreAskedFor() throws {
        var person = Person()
        person.favoriteArticle = nil
        #expect(
            try json(person.resourceObject(sending: .all)) == [
                "type": "people", "attributes": ["name": nil, "age": nil],
                "relationships": ["favoriteArticle": ["data": nil]],
            ])
    }

    @Test func toManyRelationshipLeavesOutResourcesWithoutID() {
        var saved = Person()
        saved.id = "1"
        #expect(ToMany([saved, Person()]).ids == ["1"])
    }

    @Test func unknownTypesInAToManyRelationshipHaveNoValue() throws {
        let text = """
            {"data":{"type":"articles","id":"1","relationships":{"authors":{"data":[{"type":"x","id":"1"},{"type":"people","id":"1"}]}}},
             "included":[{"type":"x","id":"1"},{"type":"people","id":"1"}]}
            """
        #expect(try document(text).resource(as: Article.self)?.authors.values.map(\.id) == ["1"])
    }

    // MARK: Faults of JsonAPI and Vox

    @Test func nullDataAreNoEmptyDocument() throws {
        let document = try document(#"{"links":{},"data":null}"#)
        #expect(try document.resource(as: Article.self) == nil && document.raw.data == .single(nil))
    }

    @Test func duplicatesDoNotTrap() throws {
        let text = """
            {"data":[{"type":"people","id":"1","attributes":{"name":"a"}},{"type":"people","id":"1"}],
             "included":[{"type":"people","id":"1","attributes":{"name":"b"}},{"type":"people","id":"1"}]}
            """
        #expect(try document(text).resources(as: Person.self).map(\.name) == ["a", "a"])
    }

    @Test func smallNestedStructuresAreRead() throws {
        struct Flag: NestedAttribute {
            var isOn = false
            static let schema = NestedSchema<Flag>(.attribute("on", \.isOn))
        }
        struct Lamp: Resource {
            var state = ResourceState<Lamp>()
            var flag = Flag()
            var size: Size?
            static let schema = JSONAPISchema<Lamp>("lamps", .attribute("flag", \.flag), .attribute("size", \.size))
        }
        let text = #"{"data":{"type":"lamps","id":"1","attributes":{"flag":{"on":true},"size":{"width":1}}}}"#
        let lamp = try #require(try document(text).resource(as: Lamp.self))
        #expect(lamp.flag.isOn && lamp.size?.width == 1)
    }

    @Test func wrongKindsAreNotIgnored() throws {
        let text = #"{"data":{"type":"people","id":"1","attributes":{"age":"old"}}}"#
        #expect(throws: ResourceError.self) { try document(text).resource(as: Person.self) }
    }

    @Test func unknownLinkMembersAreKept() throws {
        let text = """
            {"data":{"type":"people","id":"1","links":{"self":{"href":"/1","describedby":"/d","x":{"y":1}},"other":"/o"}}}
            """
        let person = try #require(try document(text).resource(as: Person.self))
        #expect(try json(person.toResourceObject()) == JSONValue(parsing: text)["data"])
    }

    @Test func nullAndAbsentAreKeptApart() throws {
        let person = try #require(
            try document(#"{"data":{"type":"people","id":"1","attributes":{"name":null}}}"#).resource(as: Person.self))
        #expect(person.isPresent(\.name) && !person.isPresent(\.age))
        #expect(try json(person.toResourceObject())["attributes"] == ["name": nil])
    }

    @Test func relationshipsOutliveTheDocument() throws {
        let name = try document(GraphTests.compound).resources(as: Article.self)[0].editor.name
        #expect(name == "Eve")
    }

    @Test func relationshipsAreThereWithoutIncluded() throws {
        let text =
            #"{"data":{"type":"articles","id":"1","relationships":{"editor":{"data":{"type":"people","id":"1"}}}}}"#
        #expect(try document(text).resource(as: Article.self)?.editor.id == "1")
    }
}
