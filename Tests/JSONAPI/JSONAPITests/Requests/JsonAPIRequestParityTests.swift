// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing
import WireJSON

/// The features and the known defects of JsonAPI 2.0 and Vox that concern requests, one test for each.
@Suite("Parity with JsonAPI: requests", .inTurn)
struct JsonAPIRequestParityTests {
    private let api: MockAPI
    private let articles: DataSource<Article>

    init() throws {
        api = try MockAPI()
        articles = DataSource(client: api.client)
    }

    private var article: Article {
        var article = Article()
        article.id = "1"
        article.title = "A"
        return article
    }

    /// Returns the paths of the six operations of a data source.
    private func paths(_ strategy: DataSource<Article>.Strategy) async throws -> [String] {
        let api = try MockAPI()
        let source = DataSource<Article>(client: api.client, strategy: strategy)
        api.answer(#"{"data":[]}"#)
        for _ in 0..<5 { api.answer(status: 204) }
        _ = try await source.search().result()
        _ = try await source.create(article).result()
        _ = try await source.read(id: "1").result()
        _ = try await source.update(article).result()
        _ = try await source.delete(article).result()
        _ = try await source.delete(id: "2").result()
        return api.calls
    }

    // MARK: Features

    @Test func clientGetsPathMethodQueryBodyAndUserInfo() async throws {
        struct Recording: JSONAPISender {
            func execute(_ request: JSONAPIRequest) async throws -> RawResponse {
                #expect(try request.plainPath() == "articles")
                #expect(request.method == .post)
                #expect(request.query.items == [HTTPQueryItem("q", "1")])
                #expect(request.body?.data?.resources.first?.attributes?["title"]?.text == #""A""#)
                #expect(request.userInfo["key"] as? String == "value")
                return RawResponse()
            }
        }
        let request = DataSource<Article>(client: Recording()).create(article)
        let response = try await request.queryItems([HTTPQueryItem("q", "1")]).userInfo(["key": "value"]).result()
        #expect(response.document == nil)
        #expect(response.resource?.title == "A")
    }

    @Test func clientErrorKeepsErrorAndData() async throws {
        struct Failing: JSONAPISender {
            struct Reason: Error {}
            func execute(_ request: JSONAPIRequest) async throws -> RawResponse {
                throw JSONAPIClientError.failure(Reason(), Array(#"{"errors":[{"status":422,"title":"No"}]}"#.utf8))
            }
        }
        let source = DataSource<Article>(client: Failing())
        let error = try await failure { () async throws(JSONAPIError) in try await source.search().result() }
        #expect(error.underlying is Failing.Reason)
        #expect(error.document?.errors?.first?.status == "422")
    }

    @Test func dataSourceWithRouter() async throws {
        #expect(
            try await paths(.router(ScrudRouter())) == [
                "GET /v1/articles", "POST /v1/articles", "GET /v1/articles/1", "PATCH /v1/articles/1",
                "DELETE /v1/articles/1", "DELETE /v1/articles/2",
            ])
    }

    @Test func dataSourceWithPath() async throws {
        let all = Array(repeating: "/v1/articles", count: 6)
        #expect(try await paths(.path("/<type>")).map { $0.split(separator: " ").last.map(String.init) } == all)
    }

    @Test func dataSourceWithPathAndID() async throws {
        #expect(
            try await paths(.path("/a/<type>/<id>")) == [
                "GET /v1/a/articles", "POST /v1/a/articles", "GET /v1/a/articles/1", "PATCH /v1/a/articles/1",
                "DELETE /v1/a/articles/1", "DELETE /v1/a/articles/2",
            ])
    }

    @Test func dataSourceWithPathAndTrailingSlash() async throws {
        let strategy = RoutingStrategy.path("/a/<type>/<id>/")
        #expect(
            try await paths(strategy) == [
                "GET /v1/a/articles/", "POST /v1/a/articles/", "GET /v1/a/articles/1/", "PATCH /v1/a/articles/1/",
                "DELETE /v1/a/articles/1/", "DELETE /v1/a/articles/2/",
            ])
        for _ in 0..<2 { api.answer(#"{"data":null}"#) }
        let source = DataSource<Article>(client: api.client, strategy: strategy)
        _ = try await source.relationship(\.editor, of: "1").read()
        _ = try await source.related(\.editor, of: "1").result()
        #expect(api.calls == ["GET /v1/a/articles/1/relationships/editor/", "GET /v1/a/articles/1/editor/"])
    }

    @Test(arguments: [("/<type>/<id>", "/v1/articles"), ("/<id>/", "/v1/"), ("<type>//", "/v1/articles//")])
    func aPathWithoutAnIDLeavesItsPartOut(_ template: String, _ path: String) async throws {
        api.answer(#"{"data":[]}"#)
        let source = DataSource<Article>(client: api.client, strategy: .path(template))
        _ = try await source.search().result()
        #expect(api.calls == ["GET \(path)"])
    }

    @Test func dataSourceWithARouterOfAProgram() async throws {
        struct Prefixed: ResourceRouter {
            func search(type: String) -> String { "s/\(segment: type)" }
            func create(type: String) -> String { "c/\(segment: type)" }
            func read(type: String, id: String) -> String { "r/\(segment: id)" }
            func update(type: String, id: String) -> String { "u/\(segment: id)" }
            func delete(type: String, id: String) -> String { "d/\(segment: id)" }
        }
        #expect(
            try await paths(.router(Prefixed())) == [
                "GET /v1/s/articles", "POST /v1/c/articles", "GET /v1/r/1", "PATCH /v1/u/1", "DELETE /v1/d/1",
                "DELETE /v1/d/2",
            ])
    }

    @Test func requestsWithoutDataSource() async throws {
        api.answer(#"{"data":{"type":"articles","id":"1"}}"#)
        api.answer(#"{"data":[]}"#)
        let single = ResourceRequest<Article>(path: "a", client: api.client)
        let collection = ResourceCollectionRequest<Article>(path: "b", client: api.client)
        #expect(try await single.result().resource?.id == "1")
        #expect(try await collection.result().resources.isEmpty)
    }

    /// The sample of JsonAPI's documentation.
    @Test func requestsWithoutDataSourceTakeAResourceOrNil() async throws {
        api.answer(#"{"data":{"type":"articles","id":"1"}}"#)
        api.answer(#"{"data":[]}"#)
        let client = api.client
        let resourceRequest = ResourceRequest<Article>(path: "/articles/1", method: .get, client: client, resource: nil)
        let resourceCollectionRequest = ResourceCollectionRequest<Article>(
            path: "/articles", method: .get, client: client, resource: nil)
        let article = try await resourceRequest.result()
        let articles = try await resourceCollectionRequest.result()
        #expect(article.resource?.id == "1" && articles.resources.isEmpty)

        api.answer(#"{"data":[{"type":"articles","id":"1"}]}"#)
        let copies = ResourceCollectionRequest(
            path: "/copies", method: .post, client: client, resource: self.article)
        #expect(try await copies.result().resources.map(\.id) == ["1"])
        #expect(api.calls == ["GET /v1/articles/1", "GET /v1/articles", "POST /v1/copies"])
        #expect(api.bodies[0] == nil && api.bodies[1] == nil)
        #expect(api.bodies[2]?.contains(#""title":"A""#) == true)
    }

    @Test func aResourceThatCannotBeSentFailsTheRequest() async throws {
        var article = article
        article.editor = ToOne(Person())
        let request = ResourceCollectionRequest(path: "a", method: .post, client: api.client, resource: article)
        let error = try await failure { () async throws(JSONAPIError) in try await request.result() }
        #expect(error.code == .request)
        #expect(api.calls.isEmpty)
    }

    @Test func queryItemsFieldsIncludeAndSort() {
        let request = articles.search().queryItems([HTTPQueryItem("queryItem", "a")])
            .fields(["articles": ["title", "body"]]).include(["author", "coAuthors.author"])
            .sort([.ascending("title"), .descending("created")])
        #expect(
            request.query.items == [
                HTTPQueryItem("queryItem", "a"), HTTPQueryItem("fields[articles]", ["title", "body"]),
                HTTPQueryItem("include", ["author", "coAuthors.author"]), HTTPQueryItem("sort", ["title", "-created"]),
            ])
    }

    @Test func filterAndPage() {
        let request = articles.search().filter("post", "1", "2").page(.number(2, size: 10))
        #expect(
            request.query.items == [
                HTTPQueryItem("filter[post]", ["1", "2"]), HTTPQueryItem("page[number]", "2"),
                HTTPQueryItem("page[size]", "10"),
            ])
    }

    @Test func responsesHaveDocumentAndResources() async throws {
        api.answer(#"{"data":{"type":"articles","id":"1"},"meta":{"a":1},"jsonapi":{"version":"1.1"}}"#)
        api.answer(#"{"data":[{"type":"articles","id":"1"}],"meta":{"a":2}}"#)
        let single = try await articles.read(id: "1").result()
        #expect(single.document?.raw.meta == ["a": 1])
        #expect(single.document?.raw.jsonapi?.version == "1.1")
        #expect(single.resource?.id == "1")
        let collection = try await articles.search().result()
        #expect(collection.document.raw.meta == ["a": 2])
        #expect(collection.resources.map(\.id) == ["1"])
    }

    @Test func errorsNoDataNotSingleNotCollectionEmptyAndUnknown() async throws {
        let articles = articles
        api.answer(#"{"meta":{}}"#)
        api.answer(#"{"data":{"type":"articles","id":"1"}}"#)
        api.answer("")
        api.answer("not JSON")
        api.answer("[]")
        for code in [JSONAPIError.Code.noData, .notCollectionData, .emptyResponse, .document, .document] {
            let error = try await failure { () async throws(JSONAPIError) in try await articles.search().result() }
            #expect(error.code == code)
        }
        api.answer(#"{"data":[]}"#)
        let single = try await failure { () async throws(JSONAPIError) in try await articles.read(id: "1").result() }
        #expect(single.code == .notSingleData)
    }

    @Test func bodyIsTheResourceAndDeletionHasNone() async throws {
        api.answer(status: 204)
        api.answer(status: 204)
        _ = try await articles.create(article).result()
        _ = try await articles.delete(article).result()
        let body = try JSONValue(parsing: Array((api.bodies[0] ?? "").utf8))
        #expect(body["data"]?["type"] == "articles")
        #expect(api.bodies[1] == nil)
    }

    // MARK: Defects

    @Test func nullDataIsNoError() async throws {
        api.answer(#"{"links":{},"data":null}"#)
        let response = try await articles.read(id: "1").result()
        #expect(response.resource == nil)
        #expect(response.document?.raw.data == .single(nil))
    }

    @Test func numericStatusIsRead() async throws {
        api.answer(#"{"errors":[{"status":422,"id":1}]}"#, status: 422)
        let articles = articles
        let error = try await failure { () async throws(JSONAPIError) in try await articles.search().result() }
        #expect(error.errors.first?.status == "422")
        #expect(error.errors.first?.id == "1")
    }

    @Test func errorsWithASuccessfulStatusFail() async throws {
        api.answer(#"{"errors":[{"title":"No"}]}"#)
        let articles = articles
        let error = try await failure { () async throws(JSONAPIError) in try await articles.read(id: "1").result() }
        #expect(error.code == .errors)
    }

    @Test func statusIsKeptWhateverTheBodyIs() async throws {
        api.answer("<html>", status: 503, fields: [.contentType: "text/html"])
        let articles = articles
        let error = try await failure { () async throws(JSONAPIError) in try await articles.search().result() }
        #expect(error.status == .serviceUnavailable)
        #expect(error.body == Array("<html>".utf8))
    }

    @Test func missingIDIsAnErrorAndNoPlaceholder() async throws {
        var draft = Article()
        draft.title = "A"
        let (api, unsaved) = (api, draft)
        for strategy in [RoutingStrategy.path("/<type>/<id>"), .router(ScrudRouter())] {
            let source = DataSource<Article>(client: api.client, strategy: strategy)
            let error = try await failure { () async throws(JSONAPIError) in try await source.update(unsaved).result() }
            #expect(error.code == .request)
        }
        #expect(api.calls.isEmpty)
    }

    @Test func idsCannotChangeThePath() async throws {
        api.answer(#"{"data":null}"#)
        let source = DataSource<Article>(client: api.client, strategy: .path("/<type>/<id>"))
        _ = try await source.read(id: "<type>/../x?y#z").result()
        #expect(api.calls == ["GET /v1/articles/%3Ctype%3E%2F..%2Fx%3Fy%23z"])
    }

    @Test func duplicatesInIncludedDoNotTrap() async throws {
        let twice = #"{"type":"people","id":"9","attributes":{"name":"Dan"}}"#
        api.answer(
            #"""
            {"data":{"type":"articles","id":"1","relationships":{"editor":{"data":{"type":"people","id":"9"}}}},
            "included":[\#(twice),\#(twice)]}
            """#)
        #expect(try await articles.read(id: "1").result().resource?.editor.name == "Dan")
    }

    @Test func nextPageKeepsItsQuery() async throws {
        api.answer(#"{"data":[],"links":{"next":"/v1/articles?page%5Bnumber%5D=4&page%5Bsize%5D=1&filter%5Ba%5D=b"}}"#)
        api.answer(#"{"data":[]}"#)
        _ = try await articles.search().result().next?.result()
        #expect(api.calls.last == "GET /v1/articles?page%5Bnumber%5D=4&page%5Bsize%5D=1&filter%5Ba%5D=b")
    }

    @Test func relationshipsOutliveTheDocument() async throws {
        api.answer(
            #"""
            {"data":{"type":"articles","id":"1","relationships":{"editor":{"data":{"type":"people","id":"9"}}}},
            "included":[{"type":"people","id":"9","attributes":{"name":"Dan"}}]}
            """#)
        let resource: Article? = try await articles.read(id: "1").result().resource
        #expect(resource?.editor.name == "Dan")
    }

    @Test func absentRelationshipsAreNotSentAsNull() async throws {
        api.answer(#"{"data":{"type":"articles","id":"1","attributes":{"title":"A"}}}"#)
        api.answer(status: 204)
        var article = try #require(try await articles.read(id: "1").result().resource)
        article.title = "B"
        _ = try await articles.update(article).result()
        #expect(api.bodies[1]?.contains("relationships") == false)
    }
}
