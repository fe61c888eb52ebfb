// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Relationship endpoints", .inTurn)
struct RelationshipEndpointTests {
    private let api: MockAPI
    private let articles: DataSource<Article>

    init() throws {
        api = try MockAPI()
        articles = DataSource(client: api.client)
    }

    @Test func membersAreAddedRemovedAndReplaced() async throws {
        api.answer(status: 204)
        api.answer(#"{"data":[{"type":"people","id":"5"},{"type":"people","id":"9"}]}"#)
        api.answer(#"{"data":[{"type":"people","id":"5"}],"links":{"self":"/v1/articles/1/relationships/authors"}}"#)
        let authors = articles.relationship(\.authors, of: "1")
        try await authors.add("5", "12")
        try await authors.remove("9")
        let ids = try await authors.read().ids
        #expect(ids == ["5"])
        api.answer(status: 204)
        let replaced = try await authors.replace()
        #expect(replaced.outcome == .noContent)
        #expect(replaced.identifiers == nil)
        let path = "/v1/articles/1/relationships/authors"
        #expect(api.calls == ["POST \(path)", "DELETE \(path)", "GET \(path)", "PATCH \(path)"])
        #expect(
            api.bodies == [
                #"{"data":[{"type":"people","id":"5"},{"type":"people","id":"12"}]}"#,
                #"{"data":[{"type":"people","id":"9"}]}"#, nil, #"{"data":[]}"#,
            ])
        #expect(api.transport.requests.allSatisfy { $0.context.isIdempotent })
        #expect(api.transport.requests[1].head.headerFields[.contentType] == JSONAPIMediaType.name)
    }

    @Test func toOneRelationshipsAreSetAndEmptied() async throws {
        api.answer(status: 204)
        api.answer(#"{"data":null}"#)
        api.answer(#"{"data":{"type":"people","id":"3"}}"#)
        let editor = articles.relationship(\.editor, of: "1")
        try await editor.set("3")
        #expect(try await editor.set(nil).identifiers == [])
        #expect(try await editor.read().ids == ["3"])
        #expect(api.bodies == [#"{"data":{"type":"people","id":"3"}}"#, #"{"data":null}"#, nil])
        #expect(api.calls[0] == "PATCH /v1/articles/1/relationships/editor")
    }

    @Test func pagesWithoutAPathFailBeforeTheyAreSent() async throws {
        let authors = articles.relationship(\.authors, of: Article())
        let error = try await failure { () async throws(JSONAPIError) in
            for try await _ in authors.pages() {}
        }
        #expect(error.code == .request)
        #expect(error.description.contains("no id"))
        #expect(api.calls.isEmpty)
        // A link has a URL of its own.
        api.answer(#"{"data":[]}"#)
        for try await _ in authors.pages(from: "/v1/articles/1/relationships/authors?page=2") {}
        #expect(api.calls == ["GET /v1/articles/1/relationships/authors?page=2"])
    }

    @Test func serversLinksArePreferred() async throws {
        api.answer(
            #"""
            {"data":{"type":"articles","id":"1","relationships":{
            "authors":{"links":{"self":"/rel/authors","related":"https://api.example.com/all?x=1"}},
            "editor":{"links":{"self":{"href":"/rel/editor"},"related":null}}}}}
            """#)
        let article = try #require(try await articles.read(id: "1").result().resource)
        for _ in 0..<2 { api.answer(status: 204) }
        api.answer(#"{"data":[]}"#)
        api.answer(#"{"data":null}"#)
        try await articles.relationship(\.authors, of: article).add("5")
        try await articles.relationship(\.editor, of: article).set(nil)
        _ = try await articles.related(\.authors, of: article).result()
        #expect(try await articles.related(\.editor, of: article).result().resource == nil)
        #expect(
            Array(api.calls.dropFirst()) == [
                "POST /rel/authors", "PATCH /rel/editor", "GET /all?x=1", "GET /v1/articles/1/editor",
            ])
    }

    @Test func relatedResourcesAreRead() async throws {
        api.answer(#"{"data":[{"type":"people","id":"5","attributes":{"name":"Dan"}}]}"#)
        api.answer(#"{"data":{"type":"people","id":"6","attributes":{"name":"Eve"}}}"#)
        let people = try await articles.related(\.authors, of: "1").sort([.ascending("name")]).result()
        #expect(people.resources.first?.name == "Dan")
        #expect(try await articles.related(\.editor, of: "1").result().resource?.name == "Eve")
        #expect(api.calls == ["GET /v1/articles/1/authors?sort=name", "GET /v1/articles/1/editor"])
    }

    @Test func includedResourcesComeWithTheLinkage() async throws {
        api.answer(
            #"{"data":[{"type":"people","id":"5"}],"included":[{"type":"people","id":"5","attributes":{"name":"Dan"}}]}"#
        )
        let response = try await articles.relationship(\.authors, of: "1").include(["authors"]).read()
        let id = try #require(response.ids.first)
        #expect(try response.document?.resource(id)?.name == "Dan")
        #expect(api.calls == ["GET /v1/articles/1/relationships/authors?include=authors"])
    }

    @Test func linkageOfTheWrongKindIsAnError() async throws {
        api.answer(#"{"data":null}"#)
        api.answer(#"{"data":[]}"#)
        api.answer(#"{"errors":[{"title":"full replacement"}]}"#, status: 403)
        let (authors, editor) = (articles.relationship(\.authors, of: "1"), articles.relationship(\.editor, of: "1"))
        let many = try await failure { () async throws(JSONAPIError) in try await authors.read() }
        #expect(many.code == .notCollectionData)
        let one = try await failure { () async throws(JSONAPIError) in try await editor.read() }
        #expect(one.code == .notSingleData)
        let refused = try await failure { () async throws(JSONAPIError) in try await authors.replace("1") }
        #expect(refused.code == .forbidden)
    }

    @Test func linkageIsPaged() async throws {
        api.answer(
            #"""
            {"data":{"type":"articles","id":"1","relationships":{"authors":{"data":[{"type":"people","id":"1"}],
            "links":{"self":"/rel","next":"/rel?page=2"}}}}}
            """#)
        let article = try #require(try await articles.read(id: "1").result().resource)
        api.answer(#"{"data":[{"type":"people","id":"2"}],"links":{"next":"?page=3"}}"#)
        api.answer(#"{"data":[{"type":"people","id":"3"}]}"#)
        var ids: [String] = []
        let endpoint = articles.relationship(\.authors, of: article)
        for try await page in endpoint.pages(from: article.authors.links.next) {
            ids += page.document?.data?.resources.compactMap(\.id) ?? []
        }
        #expect(ids == ["2", "3"])
        #expect(Array(api.calls.dropFirst()) == ["GET /rel?page=2", "GET /rel?page=3"])
    }

    @Test func unionsAreReferredToByIdentifiers() async throws {
        let books = DataSource<Book>(client: api.client)
        api.answer(#"{"data":{"type":"contacts","id":"4"}}"#)
        let id = Contact.ID("4")
        let response = try await books.relationship(\.owner, of: "1").set(identifier: ResourceIdentifier(id))
        #expect(response.identifiers?.map(\.type) == ["contacts"])
        #expect(api.bodies == [#"{"data":{"type":"contacts","id":"4"}}"#])
    }
}
