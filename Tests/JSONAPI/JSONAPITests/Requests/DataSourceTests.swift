// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Data sources", .inTurn)
struct DataSourceTests {
    private let api: MockAPI
    private let articles: DataSource<Article>

    init() throws {
        api = try MockAPI()
        articles = DataSource(client: api.client)
    }

    private func article(_ id: String = "1", _ title: String = "A", links: String = "{}") -> String {
        #"{"type":"articles","id":"\#(id)","attributes":{"title":"\#(title)","views":5},"links":\#(links)}"#
    }

    @Test func aSessionOfWork() async throws {
        api.answer(#"{"data":[]}"#)
        api.answer(#"{"data":\#(article())}"#)
        api.answer(status: 204)
        api.answer(status: 204)
        let client = api.client
        let articles = DataSource<Article>(client: client)
        let page = try await articles.search().include { [$0.authors] }.sort([.descending("created")]).result()
        var article = try await articles.read(id: "1").resource()
        article.title = "To TDD or Not"
        article = try await articles.update(article).resource()
        _ = try await articles.delete(article).result()
        #expect(page.resources.isEmpty)
        #expect(!article.isDirty)
        #expect(article.title == "To TDD or Not")
        #expect(
            api.calls == [
                "GET /v1/articles?include=authors&sort=-created", "GET /v1/articles/1", "PATCH /v1/articles/1",
                "DELETE /v1/articles/1",
            ])
        #expect(
            api.bodies == [
                nil, nil, #"{"data":{"type":"articles","id":"1","attributes":{"title":"To TDD or Not"}}}"#, nil,
            ])
    }

    @Test func requestsAreMadeWithoutADataSource() async throws {
        api.answer(#"{"data":\#(article())}"#)
        let client = api.client
        let request = ResourceRequest<Article>(path: "/articles/newest", client: client)
        let newest = try await request.include { [$0.authors] }.result().resource
        #expect(newest?.title == "A")
        api.answer(#"{"data":\#(article("2"))}"#, status: 201)
        var draft = Article()
        draft.title = "A"
        let made = try await ResourceRequest(path: "drafts", method: .post, client: client, resource: draft).result()
        #expect(made.resource?.id == "2")
        let size = made.response.body.count
        #expect("\(made)" == "201, application/vnd.api+json, \(size) bytes; one `Article`")
        api.answer(#"{"data":[\#(article()),\#(article("2"))]}"#)
        let list = try await ResourceCollectionRequest<Article>(path: "/articles/hot", client: client).result()
        #expect("\(list)".hasSuffix(" bytes; resources: 2"))
        #expect(list.resources.map(\.id) == ["1", "2"])
        #expect(api.calls == ["GET /v1/articles/newest?include=authors", "POST /v1/drafts", "GET /v1/articles/hot"])
    }

    @Test func typedPathsAndFields() async throws {
        let request = articles.search().include { [$0.authors.favoriteArticle, $0.editor] }
            .fields(Article.self, \.title, \.descriptionText).fields(Person.self)
        #expect(
            JSONAPIQuery.encoding.encode(request.query.items)
                == "include=authors.favoriteArticle,editor&fields%5Barticles%5D=title,description&fields%5Bpeople%5D=")
        let wrong = articles.search().fields(Article.self, \.state)
        let error = try await failure { () async throws(JSONAPIError) in try await wrong.result() }
        #expect(error.code == .request)
    }

    @Test func creationMergesTheServersResource() async throws {
        api.answer(
            #"{"data":\#(article("9", "B", links: #"{"self":"/v1/articles/9"}"#))}"#, status: 201,
            fields: [.location: "/v1/articles/9"])
        var article = Article()
        article.title = "A"
        article.slug = "s"
        article.authors = ["5"]
        let response = try await articles.create(article).result()
        let created = try #require(response.resource)
        #expect(response.outcome == .created(location: "/v1/articles/9"))
        #expect(created.id == "9")
        #expect(created.title == "B")
        #expect(created.slug == "s")
        #expect(created.authors.ids == ["5"])
        #expect(!created.isNew && !created.isDirty)
        #expect(api.calls == ["POST /v1/articles"])
        let sent = try JSONValue(parsing: Array((api.bodies[0] ?? "").utf8))
        #expect(sent["data"]?["relationships"] == ["authors": ["data": [["type": "people", "id": "5"]]]])
        #expect(sent["data"]?["id"] == nil)
    }

    @Test func creationWithoutDataKeepsWhatWasSent() async throws {
        var article = Article()
        article.id = "client-id"
        article.title = "A"
        api.answer(status: 204)
        api.answer(#"{"meta":{"x":1}}"#, status: 201)
        for _ in 0..<2 {
            let created = try #require(try await articles.create(article).result().resource)
            #expect(created.title == "A")
            #expect(!created.isNew && !created.isDirty)
        }
        let body = try #require(api.bodies[0])
        #expect(body.contains(#""id":"client-id""#))
        // The program's value is unchanged.
        #expect(article.isNew)
    }

    @Test func serversCanIgnoreTheIDOfTheClient() async throws {
        api.answer(#"{"data":\#(article("9"))}"#, status: 201)
        api.answer(#"{"data":\#(article("8"))}"#)
        var article = Article()
        article.id = "77"
        article.title = "A"
        let created = try #require(try await articles.create(article).result().resource)
        #expect(created.id == "9")
        #expect(!created.isNew && !created.isDirty)
        // An update cannot change the id.
        var changed = created
        changed.title = "B"
        let (articles, update) = (articles, changed)
        let error = try await failure { () async throws(JSONAPIError) in try await articles.update(update).result() }
        #expect(error.code == .resource)
    }

    @Test func acceptedRequestsLeaveTheResourceAsItWasSent() async throws {
        api.answer(status: 202, fields: [.contentLocation: "/jobs/1"])
        var article = Article()
        article.title = "A"
        let response = try await articles.create(article).result()
        #expect(response.outcome == .accepted(contentLocation: "/jobs/1", retryAfter: nil))
        #expect(response.resource?.isNew == true)
        #expect(response.document == nil)
    }

    @Test func failuresLeaveTheChanges() async throws {
        api.answer(#"{"data":\#(article())}"#)
        var article = try #require(try await articles.read(id: "1").result().resource)
        article.title = "B"
        let changed = article
        for status in [403, 404, 409, 422, 500] {
            api.answer(
                #"{"errors":[{"source":{"pointer":"/data/attributes/title"}},{"source":{"pointer":"/data/attributes/x"}}]}"#,
                status: status)
            let error = try await failure { () async throws(JSONAPIError) in
                try await articles.update(changed).result()
            }
            #expect(error.errors(about: \Article.title).count == 1)
            #expect(error.errors[1].field(of: Article.self) == nil)
            #expect(article.isDirty)
            #expect(article.changes.names == ["title"])
        }
    }

    @Test func updatesSendChangesOnlyUnlessAsked() async throws {
        api.answer(#"{"data":\#(article())}"#)
        var article = try #require(try await articles.read(id: "1").result().resource)
        let unchanged = try await articles.update(article).result()
        #expect(unchanged.outcome == .unchanged)
        #expect(unchanged.resource == article)
        #expect(api.calls.count == 1)

        api.answer(status: 204)
        _ = try await articles.update(article, sending: .all).result()
        #expect(api.bodies.last == #"{"data":{"type":"articles","id":"1","attributes":{"title":"A"}}}"#)

        article.title = nil
        article.editor = nil
        api.answer(#"{"data":\#(self.article("1", "server"))}"#)
        let merged = try #require(try await articles.update(article).result().resource)
        #expect(
            api.bodies.last
                == #"{"data":{"type":"articles","id":"1","attributes":{"title":null},"relationships":{"editor":{"data":null}}}}"#
        )
        #expect(merged.title == "server")
        #expect(!merged.isDirty)
    }

    @Test(arguments: [
        ("https://api.example.com/odd/articles/1?token=a", "/odd/articles/1?token=a"), ("/odd/1", "/odd/1"),
        // A server behind a proxy can publish links to a host that is not the public one.
        ("http://internal.example/articles/1", "/v1/articles/1"), ("javascript:alert(1)", "/v1/articles/1"),
        ("1", "/v1/articles/1"), ("", "/v1/articles/1"),
    ])
    func resourcesAreChangedAtTheirLinks(_ link: String, _ path: String) async throws {
        api.answer(#"{"data":\#(article(links: #"{"self":"\#(link)"}"#))}"#)
        var article = try #require(try await articles.read(id: "1").result().resource)
        article.title = "B"
        api.answer(status: 204)
        api.answer(status: 204)
        _ = try await articles.update(article).result()
        _ = try await articles.delete(article).result()
        #expect(Array(api.calls.dropFirst()) == ["PATCH \(path)", "DELETE \(path)"])
        #expect(api.transport.requests.allSatisfy { $0.head.authority == "api.example.com" })
    }

    @Test func linksCanBeIgnored() async throws {
        let links = #"{"self":"/odd/1"}"#
        api.answer(#"{"data":\#(article(links: links))}"#)
        let articles = DataSource<Article>(client: api.client, followsLinks: false)
        var article = try await articles.read(id: "1").resource()
        article.title = "B"
        article.editor.links["self"] = "/odd/1/editor"
        for _ in 0..<3 { api.answer(status: 204) }
        _ = try await articles.update(article).result()
        _ = try await articles.relationship(\.editor, of: article).set(nil)
        _ = try await articles.delete(article).result()
        #expect(
            Array(api.calls.dropFirst()) == [
                "PATCH /v1/articles/1", "PATCH /v1/articles/1/relationships/editor", "DELETE /v1/articles/1",
            ])
    }

    @Test func absentIDsAreErrors() async throws {
        let data = [articles, DataSource(client: api.client, strategy: .path("/<type>/<id>"))]
        for articles in data {
            var article = Article()
            article.title = "A"
            let draft = article
            let update = try await failure { () async throws(JSONAPIError) in try await articles.update(draft).result()
            }
            let delete = try await failure { () async throws(JSONAPIError) in try await articles.delete(draft).result()
            }
            let read = try await failure { () async throws(JSONAPIError) in try await articles.read(id: "").result() }
            #expect([update.code, delete.code, read.code] == [.request, .request, .request])
            #expect(update.description.contains("no id"))
        }
        #expect(api.calls.isEmpty)
    }

    @Test func aRequestWithoutAPathIsNotSentWithoutItsTypeEither() async throws {
        let request = articles.update(Article()).request
        #expect(request.fault?.code == .request)
        let client = api.client
        let error = try await failure { () async throws(JSONAPIError) in try await client.send(request) }
        #expect(error.code == .request)
        #expect(error.description.contains("no id"))
        #expect(api.calls.isEmpty)
    }

    @Test func primaryDataOfTheOtherKindAreErrors() async throws {
        api.answer(#"{"data":[]}"#)
        api.answer(#"{"data":null}"#)
        api.answer(#"{"meta":{}}"#)
        api.answer(status: 204)
        api.answer(#"{"data":[{"type":"articles","id":"1","attributes":{"title":5}}]}"#)
        api.answer(#"{"data":[{"type":"people","id":"1"}]}"#)
        let articles = articles
        let single = try await failure { () async throws(JSONAPIError) in try await articles.read(id: "1").result() }
        #expect(single.code == .notSingleData)
        for code in [JSONAPIError.Code.notCollectionData, .noData, .emptyResponse, .resource, .resource] {
            let error = try await failure { () async throws(JSONAPIError) in try await articles.search().result() }
            #expect(error.code == code)
            #expect(error.response != nil)
        }
    }

    @Test func jobsOfAcceptedRequestsAreNoResources() async throws {
        api.answer(#"{"data":{"type":"jobs","id":"5"}}"#, status: 202)
        let response = try await articles.delete(id: "1").result()
        #expect(response.resource == nil)
        #expect(response.document?.raw.data?.resources.first?.type == "jobs")
        #expect(response.outcome == .accepted(contentLocation: nil, retryAfter: nil))
    }

    @Test func absentResourcesAreErrorsWhereOneIsExpected() async throws {
        api.answer(#"{"data":null}"#)
        let error = await #expect(throws: JSONAPIError.self) { try await articles.read(id: "1").resource() }
        #expect(error?.code == .noData)
        #expect(error?.response?.status == .ok)
        api.answer(#"{"data":\#(article())}"#)
        #expect(try await articles.read(id: "1").resource().title == "A")
    }

    @Test func emptySinglesAreNil() async throws {
        api.answer(#"{"data":null}"#)
        api.answer(#"{"meta":{}}"#)
        api.answer(status: 204)
        for _ in 0..<3 { #expect(try await articles.read(id: "1").result().resource == nil) }
    }

    @Test func sparseFieldsetsNeedNoRequiredFields() async throws {
        let books = DataSource<Book>(client: api.client)
        let sparse = #"{"data":[{"type":"books","id":"1","attributes":{"page-count":3}}]}"#
        api.answer(sparse)
        let page = try await books.search().fields(Book.self, \.pageCount).result()
        #expect(page.resources.first?.pageCount == 3)
        api.answer(sparse)
        let error = try await failure { () async throws(JSONAPIError) in try await books.search().result() }
        #expect(error.code == .resource)
        #expect((error.underlying as? ResourceError)?.pointer.tokens.prefix(2) == ["data", "0"])
    }

    @Test func oneFieldOfASparseResourceIsOneMember() async throws {
        api.answer(#"{"data":{"type":"articles","id":"1","attributes":{"title":"A"}}}"#)
        var article = try #require(
            try await articles.read(id: "1").fields(Article.self, \.title).result().resource)
        #expect(api.calls == ["GET /v1/articles/1?fields%5Barticles%5D=title"])
        article.title = "B"
        api.answer(status: 204)
        _ = try await articles.update(article).result()
        #expect(api.bodies.last == #"{"data":{"type":"articles","id":"1","attributes":{"title":"B"}}}"#)
    }

    @Test func includedResourcesAreReached() async throws {
        api.answer(
            #"""
            {"data":[{"type":"articles","id":"1","relationships":{"editor":{"data":{"type":"people","id":"9"}}}}],
            "included":[{"type":"people","id":"9","attributes":{"name":"Dan"},
            "relationships":{"favoriteArticle":{"data":{"type":"articles","id":"1"}}}}],"meta":{"total":1}}
            """#)
        let page = try await articles.search().include { [$0.editor] }.result()
        #expect(page.resources.first?.editor.name == "Dan")
        #expect(page.resources.first?.editor.value?.favoriteArticle.value?.editor.name == "Dan")
        #expect(try page.document.meta(as: [String: Int].self) == ["total": 1])
    }

    @Test func userInfoReachesTheClient() async throws {
        struct Recording: JSONAPISender {
            func execute(_ request: JSONAPIRequest) async throws -> RawResponse {
                #expect(request.userInfo["retries"] as? Int == 3)
                return RawResponse(body: Array(#"{"data":null}"#.utf8))
            }
        }
        let articles = DataSource<Article>(client: Recording())
        _ = try await articles.read(id: "1").userInfo(["retries": 3]).result()
        _ = try await articles.relationship(\.editor, of: "1").userInfo(["retries": 3]).set(nil)
    }
}
