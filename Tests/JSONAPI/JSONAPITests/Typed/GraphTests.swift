// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import Synchronization
import TestTurns
import Testing
import WireJSON

@Suite("Graph of a document", .inTurn)
struct GraphTests {
    static let compound = """
        {"data":[
            {"type":"articles","id":"1","attributes":{"title":"A"},"relationships":{
              "authors":{"data":[{"type":"people","id":"1"},{"type":"people","id":"2"},{"type":"people","id":"404"}]},
              "editor":{"data":{"type":"people","id":"2"}}}},
            {"type":"articles","id":"2","attributes":{"title":"B"},"relationships":{
              "editor":{"data":{"type":"people","id":"404","meta":{"since":1}}}}}],
          "included":[
            {"type":"people","id":"1","attributes":{"name":"Dan"},"relationships":{
              "favoriteArticle":{"data":{"type":"articles","id":"2"}}}},
            {"type":"people","id":"2","attributes":{"name":"Eve"},"relationships":{
              "favoriteArticle":{"data":{"type":"articles","id":"1"}}}},
            {"type":"planets","id":"1","attributes":{"name":"Mars"}},
            {"type":"people","id":"1","attributes":{"name":"a duplicate"}}]}
        """

    @Test func relatedResourcesAreReachedInCycles() throws {
        let articles = try document(Self.compound).resources(as: Article.self)
        let first = articles[0]
        #expect(first.editor.name == "Eve")
        #expect(first.authors.name == ["Dan", "Eve"] && first.authors.count == 3)
        #expect(first.editor.value?.favoriteArticle.value == first)
        #expect(first.editor.favoriteArticle.title == "A")
        #expect(first.authors.values[0].favoriteArticle.value == articles[1])
        var article = first
        for _ in 0..<10_000 { article = try #require(article.editor.value?.favoriteArticle.value) }
        #expect(article == first)
    }

    @Test func resourcesOutsideOfTheDocumentHaveAReferenceOnly() throws {
        let second = try document(Self.compound).resources(as: Article.self)[1]
        #expect(second.editor.id == "404" && second.editor.value == nil && second.editor.name == nil)
        #expect(second.authors.linkage == .notLoaded && second.authors.values == [])

        var options = ResourceOptions()
        options.makesStubs = true
        let stubbed = try document(Self.compound, options).resources(as: Article.self)
        let stub = try #require(stubbed[1].editor.value)
        #expect(stub.id == "404" && stub.name == nil && !stub.isPresent(\.name) && stub.meta == ["since": 1])
        #expect(
            stubbed[0].authors.ids == ["1", "2", "404"] && stubbed[0].authors.values.map(\.id) == ["1", "2", "404"])
    }

    @Test func nothingVanishesWithTheDocument() throws {
        func read() throws -> Article { try document(Self.compound).resources(as: Article.self)[0] }
        let article = try read()
        #expect(article.editor.favoriteArticle.editor.name == "Eve")
    }

    @Test func detachedResourceKeepsItsReferences() throws {
        var article = try document(Self.compound).resources(as: Article.self)[0]
        article.title = "C"
        let detached = article.detached()
        #expect(detached.editor.id == "2" && detached.editor.value == nil && detached.changes.names == ["title"])
    }

    @Test func rollbackStaysInTheDocument() throws {
        var article = try document(Self.compound).resources(as: Article.self)[0]
        article.editor = nil
        article.rollback()
        #expect(article.editor.name == "Eve")
        article.editor.id = "1"
        #expect(article.editor.name == "Dan")
    }

    @Test func resourcesAreFoundByID() throws {
        let document = try document(Self.compound)
        #expect(try document.resource(Person.ID("1"))?.name == "Dan")
        #expect(try document.resource(Person.ID("404")) == nil)
        #expect(document.raw.included?.count == 4)
    }

    @Test func identifiersInPrimaryDataGiveWayToIncludedResources() throws {
        let text = """
            {"data":[{"type":"people","id":"1"},{"type":"people","id":"2"}],
             "included":[{"type":"people","id":"1","attributes":{"name":"Dan"}}]}
            """
        let people = try document(text).resources(as: Person.self)
        #expect(people.map(\.name) == ["Dan", nil] && people.map(\.id) == ["1", "2"])
    }

    @Test func includedResourceIsDecodedOnce() throws {
        struct Part: Resource {
            static let decoded = Mutex(0)
            enum Counted: AttributeTransform {
                static func decode(_ wire: Int) throws -> Int {
                    Part.decoded.withLock { $0 += 1 }
                    return wire
                }
                static func encode(_ value: Int) throws -> Int { value }
            }

            var state = ResourceState<Part>()
            var number: Int?
            var others = ToMany<Part>()
            static let schema = JSONAPISchema<Part>(
                "parts", .attribute("number", \.number, via: Counted.self), .relationship("others", \.others))
        }
        let count = 50
        let links = (0..<count).map { #"{"type":"parts","id":"\#($0)"}"# }.joined(separator: ",")
        let parts = (0..<count).map {
            #"{"type":"parts","id":"\#($0)","attributes":{"number":\#($0)},"relationships":{"others":{"data":[\#(links)]}}}"#
        }
        let text = "{\"data\":\(parts[0]),\"included\":[\(parts.dropFirst().joined(separator: ","))]}"
        let part = try #require(try document(text).resource(as: Part.self))
        let numbers = part.others.values.flatMap { $0.others.number }
        #expect(numbers.count == count * count && Part.decoded.withLock { $0 } == count)
    }

    @Test func cyclesAreFreed() throws {
        final class Token: Sendable, Equatable {
            static let living = Mutex(0)
            init() { Self.living.withLock { $0 += 1 } }
            deinit { Self.living.withLock { $0 -= 1 } }
            static func == (left: Token, right: Token) -> Bool { true }
        }
        struct Node: Resource {
            enum Tokens: AttributeTransform {
                static func decode(_ wire: Bool) throws -> Token { Token() }
                static func encode(_ value: Token) throws -> Bool { true }
            }
            var state = ResourceState<Node>()
            var token: Token?
            var next = ToOne<Node>()
            static let schema = JSONAPISchema<Node>(
                "nodes", .attribute("token", \.token, via: Tokens.self), .relationship("next", \.next))
        }
        let text = """
            {"data":{"type":"nodes","id":"1","attributes":{"token":true},"relationships":{"next":{"data":{"type":"nodes","id":"2"}}}},
             "included":[{"type":"nodes","id":"2","attributes":{"token":true},
               "relationships":{"next":{"data":{"type":"nodes","id":"1"}}}}]}
            """
        do {
            var node = try #require(try document(text).resource(as: Node.self))
            for _ in 0..<5 { node = try #require(node.next.value) }
            try node.touch(\.token)
            node.markClean()
            var other = try #require(node.next.value)
            other.next = ToOne(node)
            other.rollback()
            #expect(other.next.value == node && Token.living.withLock { $0 } == 2)
        }
        #expect(Token.living.withLock { $0 } == 0)
    }

    @Test func errorsOfIncludedResourcesAreThrownAtOnce() throws {
        let text = """
            {"data":{"type":"articles","id":"1"},
             "included":[{"type":"planets","id":"1"},{"type":"people","id":"7","attributes":{"age":"old"}}]}
            """
        let document = try document(text)
        let error = try #require(resourceError { _ = try document.resource(as: Article.self) })
        #expect(error.pointer.description == "/included/1/attributes/age")
        #expect(error.type == "people" && error.id == "7" && error.field == "age")
        #expect(error.description.contains("people") && error.description.contains("Int"))

        var options = ResourceOptions()
        options.unreadableFields = .skip
        let skipping = try JSONAPITests.document(text, options)
        #expect(try skipping.resource(as: Article.self)?.id == "1")
        let person = try #require(try skipping.resource(Person.ID("7")))
        #expect(person.age == nil && !person.isPresent(\.age) && !person.isDirty)
        #expect(skipping.skippedFields.map(\.pointer.description) == ["/included/1/attributes/age"])
    }

    @Test func graphIsUsedByManyTasks() async throws {
        let article = try document(Self.compound).resources(as: Article.self)[0]
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { _ in article.authors.values.first?.favoriteArticle.value?.id == "2" }
                }
            }
            for await result in group { #expect(result) }
        }
    }
}
