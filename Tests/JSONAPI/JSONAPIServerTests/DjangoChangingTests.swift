// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import Newsroom
import TestSupport
import TestTurns
import Testing

/// Changing resources of a Django server.
@Suite(.inTurn(within: .seconds(120)))
struct DjangoChangingTests {
    @Test func aResourceIsCreatedChangedAndDeleted() async throws {
        try await DjangoServer.withClient { client in
            let articles = DataSource<Article>(client: client)
            var article = Article()
            article.title = "New"
            article.author = "2"
            article.tags = ["00000000-0000-0000-0000-000000000001"]
            let created = try await articles.create(article).result()
            guard case .created(let location) = created.outcome else {
                return #expect(Bool(false), "\(created.outcome)")
            }
            article = try #require(created.resource)
            #expect(location?.hasSuffix("/articles/26") == true)
            #expect(location == article.links["self"]?.href)
            #expect(article.wordCount == 0, "the default of the server")
            #expect(!article.isNew && !article.isDirty)

            article.bodyText = "Text"
            article = try #require(try await articles.update(article).result().resource)
            #expect(article.bodyText == "Text")
            article.bodyText = nil
            article.author = nil
            article = try #require(try await articles.update(article).result().resource)
            let read = try #require(try await articles.read(id: "26").result().resource)
            #expect(read.bodyText == nil && read.isPresent(\.bodyText))
            #expect(read.author.linkage == .empty)
            #expect(read.tags.count == 1, "the relationship was not sent")

            #expect(try await articles.delete(article).result().outcome == .noContent)
            let error = await #expect(throws: JSONAPIError.self) { try await articles.delete(id: "26").result() }
            #expect(error?.code == .notFound)
        }
    }

    @Test func anErrorTellsTheField() async throws {
        try await DjangoServer.withClient { client in
            var article = Article()
            article.title = String(repeating: "x", count: 101)
            article.author = "99"
            let request = DataSource<Article>(client: client).create(article)
            let error = try #require(await #expect(throws: JSONAPIError.self) { try await request.result() })
            #expect(error.code == .clientError)
            #expect(Set(error.errors.compactMap { $0.field(of: Article.self) }) == [\Article.title, \Article.author])
            #expect(error.errors(about: \Article.title).first?.code == "max_length")
            #expect(article.isNew, "the value is as it was")
        }
    }

    @Test func aTypeThatDoesNotBelongToTheCollectionIsAConflict() async throws {
        try await DjangoServer.withClient { client in
            let request = ResourceRequest(path: "articles", method: .post, client: client, resource: Person())
            let error = await #expect(throws: JSONAPIError.self) { try await request.result() }
            #expect(error?.code == .conflict)
        }
    }

    @Test func anIDOfTheClientIsKeptOrReplaced() async throws {
        try await DjangoServer.withClient { client in
            let tags = DataSource<Tag>(client: client)
            var tag = Tag()
            tag.id = "11111111-2222-3333-4444-555555555555"
            tag.name = "own"
            let created = try #require(try await tags.create(tag).result().resource)
            #expect(created.id == tag.id)
            let error = await #expect(throws: JSONAPIError.self) { try await tags.create(tag).result() }
            #expect(error?.code == .conflict)

            // The server ignores the ids that clients choose for people.
            var person = Person()
            person.id = "77"
            person.name = "Tom"
            let body = RawDocument(data: .single(try person.resourceObject(sending: .new)))
            let response = try await client.send(JSONAPIRequest(path: "people", method: .post, body: body))
            #expect(response.document?.data?.resources.first?.id == "3")
        }
    }

    @Test func relationshipsAreChangedAtTheirURLs() async throws {
        try await DjangoServer.withClient { client in
            let articles = DataSource<Article>(client: client)
            let article = try #require(try await articles.read(id: "5").result().resource)
            let author = articles.relationship(\.author, of: article)
            #expect(try await author.read().ids == ["1"])
            try await author.set("2")
            #expect(try await author.read().ids == ["2"])
            try await author.set(nil as Person.ID?)
            #expect(try await author.read().identifiers?.isEmpty == true)
            #expect(try await articles.related(\.author, of: article).result().resource == nil)

            let tags = articles.relationship(\.tags, of: "5")
            let tag: Tag.ID = "00000000-0000-0000-0000-000000000001"
            #expect(try await tags.add(tag).ids == [tag])
            #expect(try await tags.add(tag).outcome == .noContent, "the tag is there already")
            #expect(try await articles.related(\.tags, of: "5").result().resources.map(\.name) == ["swift"])
            #expect(try await tags.remove(tag).ids.isEmpty)
            try await tags.replace(tag)
            #expect(try await tags.read().ids == [tag])
        }
    }
}
