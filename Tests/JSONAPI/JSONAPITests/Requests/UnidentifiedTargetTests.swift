// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing

/// References to resources with neither an id nor a local id are refused before anything is sent.
@Suite("References without an id", .inTurn)
struct UnidentifiedTargetTests {
    private let api: MockAPI
    private let articles: DataSource<Article>
    private let books: DataSource<Book>

    init() throws {
        api = try MockAPI()
        articles = DataSource(client: api.client)
        books = DataSource(client: api.client)
    }

    /// Expects that the request is refused, and returns the error of the resource.
    private func refusal<Value>(
        of operation: () async throws(JSONAPIError) -> Value
    ) async throws -> ResourceError {
        let error = try await failure(of: operation)
        #expect(error.code == .request)
        #expect(api.calls.isEmpty)
        return try #require(error.underlying as? ResourceError)
    }

    @Test func aToOneRelationshipIsRefused() async throws {
        var article = Article()
        article.id = "1"
        article.editor = ToOne(Person(name: "Dan"))
        #expect(article.editor.isLoaded && article.isDirty)
        let error = try await refusal { () async throws(JSONAPIError) in try await articles.update(article).result() }
        #expect(error.reason == .unidentifiedTarget(type: "people"))
        #expect(error.type == "articles" && error.id == "1" && error.field == "editor")
        #expect(
            error.description == """
                Could not write the relationship `editor` of the resource `articles` with the id `1`: the related \
                resource `people` has neither an id nor a local id. Create it first, or call `identify()` on it and add \
                it to the same atomic request.
                """)
        #expect(article.isDirty && article.isNew)
    }

    @Test func aToManyRelationshipIsRefused() async throws {
        var article = Article()
        var known = Person()
        known.id = "1"
        article.authors = ToMany([known, Person(name: "Dan")])
        #expect(article.authors.count == 2)
        let error = try await refusal { () async throws(JSONAPIError) in try await articles.create(article).result() }
        #expect(error.reason == .unidentifiedTarget(type: "people") && error.field == "authors")
        #expect(resourceError { _ = try article.toResourceObject() }?.field == "authors")
    }

    @Test func unionsAndAnyResourcesAreRefused() async throws {
        var book = Book()
        book.owner = ToOne(.person(Person()))
        let owner = try await refusal { () async throws(JSONAPIError) in try await books.create(book).result() }
        #expect(owner.reason == .unidentifiedTarget(type: "") && owner.field == "owner")
        #expect(owner.description.contains("the related resource has neither an id nor a local id"))
        book.owner = nil
        book.contributors = ToMany([.contact(Contact())])
        let contributors = try await refusal { () async throws(JSONAPIError) in try await books.create(book).result() }
        #expect(contributors.field == "contributors")
        book.contributors = ToMany()
        book.related = ToMany([AnyResource(Contact())])
        let related = try await refusal { () async throws(JSONAPIError) in try await books.create(book).result() }
        #expect(related.reason == .unidentifiedTarget(type: "contacts") && related.field == "related")
    }

    @Test func relationshipEndpointsRefuse() async throws {
        let authors = articles.relationship(\.authors, of: "1")
        let error = try await refusal { () async throws(JSONAPIError) in
            try await authors.add([ResourceIdentifier<Person>()])
        }
        #expect(error.reason == .unidentifiedTarget(type: "people"))
        #expect(error.type == "articles" && error.id == "1" && error.field == "authors")
        let editor = articles.relationship(\.editor, of: "1")
        let other = try await refusal { () async throws(JSONAPIError) in
            try await editor.set(identifier: ResourceIdentifier<Person>())
        }
        #expect(other.reason == .unidentifiedTarget(type: "people") && other.field == "editor")
    }

    @Test func atomicOperationsRefuse() async throws {
        var transaction = AtomicTransaction()
        var article = Article()
        article.editor = ToOne(Person())
        let owner = ResourceIdentifier<Article>(id: "1")
        let nobody = ResourceIdentifier<Person>()
        let reason = ResourceError.Reason.unidentifiedTarget(type: "people")
        #expect(resourceError { try transaction.add(article) }?.reason == reason)
        #expect(resourceError { try transaction.change(.add, [nobody], in: \.authors, of: owner) }?.reason == reason)
        #expect(resourceError { try transaction.set(nobody, in: \.editor, of: owner) }?.reason == reason)
        let noOwner = ResourceIdentifier<Article>()
        #expect(resourceError { try transaction.set(nil, in: \.editor, of: noOwner) }?.reason == .missingID)
        #expect(resourceError { try transaction.change(.add, [], in: \.authors, of: noOwner) }?.reason == .missingID)
        #expect(resourceError { try transaction.update(Article()) }?.reason == .missingID)
        #expect(transaction.operations.isEmpty)
    }

    @Test func anIdentifiedResourceIsSent() throws {
        var article = Article()
        var person = Person()
        person.identify()
        article.editor = ToOne(person)
        let object = try article.resourceObject(sending: .new)
        #expect(object.relationships?["editor"]?.data == .toOne(person.toResourceIdentifierObject()))
    }
}
