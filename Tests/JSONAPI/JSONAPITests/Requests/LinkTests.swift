// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import Synchronization
import TestTurns
import Testing

@Suite("Following links", .inTurn)
struct LinkTests {
    private func response(_ api: MockAPI, next: String) async throws -> ServerResponse {
        api.answer(#"{"data":[],"links":{"next":"\#(next)"}}"#)
        return try await api.client.send(JSONAPIRequest(path: "articles/x"))
    }

    @Test(arguments: [
        ("https://api.example.com/v1/a?page%5Bnumber%5D=2&q=a+b", "/v1/a?page%5Bnumber%5D=2&q=a+b"),
        ("/other?x=1", "/other?x=1"), ("?page=2", "/v1/articles/x?page=2"), ("y", "/v1/articles/y"),
        ("../z?q#f", "/v1/z?q"), ("//api.example.com/w", "/w"), ("HTTPS://API.example.com:443/v", "/v"),
        ("/a?page[number]=2", "/a?page[number]=2"),
    ])
    func linksAreResolvedAgainstTheResponseAndSentUnchanged(_ link: String, _ path: String) async throws {
        let api = try MockAPI()
        let first = try await response(api, next: link)
        api.answer(#"{"data":[]}"#)
        let request = try #require(first.request(following: first.document?.links?.next))
        _ = try await api.client.send(request)
        #expect(api.transport.requests.last?.head.path == path)
        #expect(api.transport.requests.last?.head.authority?.lowercased().hasPrefix("api.example.com") == true)
        #expect(first.url(of: first.document?.links?.next)?.hasSuffix(path) == true)
    }

    @Test(arguments: [
        "https://evil.example/a", "http://api.example.com/v1/a", "https://api.example.com:8443/a",
        "javascript:alert(1)",
        "//evil.example/a", "file:///etc/passwd", "ftp://api.example.com/a", "https://api.example.com@evil.example/",
        "https://", "https:", "https:///", "mailto:a@b.example",
    ])
    func linksToOtherOriginsAreNotFollowed(_ link: String) async throws {
        let api = try MockAPI()
        let first = try await response(api, next: link)
        let request = try #require(first.request(following: first.document?.links?.next))
        let error = try await failure { () async throws(JSONAPIError) in try await api.client.send(request) }
        #expect(error.code == .link)
        #expect(api.calls.count == 1)
    }

    @Test func trustedOriginsAreFollowed() async throws {
        var options = JSONAPIClient.Options()
        options.trustedOrigins = [try #require(URL(string: "https://pages.example.com"))]
        let api = try MockAPI(options: options)
        let first = try await response(api, next: "https://pages.example.com/2")
        api.answer(#"{"data":[]}"#)
        _ = try await api.client.send(try #require(first.request(following: first.document?.links?.next)))
        #expect(api.transport.requests.last?.head.authority == "pages.example.com")
    }

    @Test func absentAndNullLinksAreNotFollowed() async throws {
        let api = try MockAPI()
        api.answer(#"{"data":[],"links":{"next":null}}"#)
        let response = try await api.client.send(JSONAPIRequest(path: "articles"))
        #expect(response.request(following: response.document?.links?.next) == nil)
        #expect(response.request(following: response.document?.links?.prev) == nil)
    }

    @Test func linksAreResolvedAgainstTheURLAfterRedirects() async throws {
        let api = try MockAPI()
        api.answer(status: 307, fields: [.location: "/v2/articles/"])
        let first = try await response(api, next: "x?page=2")
        #expect(first.url == "https://api.example.com/v2/articles/")
        api.answer(#"{"data":[]}"#)
        _ = try await api.client.send(try #require(first.request(following: first.document?.links?.next)))
        #expect(api.calls.last == "GET /v2/articles/x?page=2")
    }

    @Test func responsesOfOtherOriginsMakeNoOriginTrusted() async throws {
        let api = try MockAPI()
        api.answer(status: 307, fields: [.location: "https://evil.example/articles"])
        let first = try await response(api, next: "?page=2")
        let request = try #require(first.request(following: first.document?.links?.next))
        let error = try await failure { () async throws(JSONAPIError) in try await api.client.send(request) }
        #expect(error.code == .link)
    }

    /// A client of a program that supports only paths.
    private struct PathClient: JSONAPISender {
        let url: String?
        var body = #"{"data":[]}"#
        let paths: @Sendable (String) -> Void

        func execute(_ request: JSONAPIRequest) async throws -> RawResponse {
            paths(try request.plainPath())
            return RawResponse(body: Array(self.body.utf8), url: url)
        }
    }

    @Test func clientsOfProgramsGetLinksOfTheSameOriginOnly() async throws {
        let known = PathClient(url: "https://api.example.com/a") { #expect($0 == "https://api.example.com/b") }
        let link = JSONAPIRequest(.link("/b", relativeTo: "https://api.example.com/a"))
        _ = try await known.send(link)
        let other = JSONAPIRequest(.link("https://evil.example", relativeTo: "https://api.example.com/a"))
        #expect(try await failure { () async throws(JSONAPIError) in try await known.send(other) }.code == .link)

        // A path from the origin is not below the base URL.
        let unknown = PathClient(url: nil) { Issue.record("\($0) was requested") }
        for link in ["/b?c", "b", "https://api.example.com/b"] {
            let request = JSONAPIRequest(.link(link, relativeTo: nil))
            let error = try await failure { () async throws(JSONAPIError) in try await unknown.send(request) }
            #expect(error.code == .link)
            #expect(error.message.contains("`RawResponse.url`"))
        }

        var extended = JSONAPIRequest(path: "/operations")
        extended.extensions = ["https://jsonapi.org/ext/atomic"]
        #expect(try await failure { () async throws(JSONAPIError) in try await known.send(extended) }.code == .request)
    }

    /// The server publishes links from its origin, and the client appends paths to its base URL `https://…/api`.
    @Test(arguments: [nil, "https://api.example.com/api/articles/x/"])
    func clientsOfProgramsGetPathsBelowTheBaseURL(_ url: String?) async throws {
        let paths = Mutex<[String]>([])
        let client = PathClient(url: url, body: #"{"meta":{}}"#) { path in paths.withLock { $0.append(path) } }
        let document = try JSONAPIDocument(
            parsing: Array(
                #"""
                {"data":{"type":"articles","id":"x","links":{"self":"/api/articles/x/"},"relationships":{
                "editor":{"data":null,"links":{"self":"/api/articles/x/relationships/editor/","related":"/api/e/"}}}}}
                """#.utf8))
        var article = try #require(try document.resource(as: Article.self))
        article.title = "B"
        let articles = DataSource<Article>(client: client)
        _ = try await articles.update(article).result()
        _ = try await articles.delete(article).result()
        _ = try await articles.relationship(\.editor, of: article).set(nil)
        _ = try await articles.related(\.editor, of: article).result()
        #expect(
            paths.withLock { $0 }
                == ["articles/x", "articles/x", "articles/x/relationships/editor", "articles/x/editor"])
    }

    @Test func pagesFromALinkDoNotBeginAtTheRelationship() async throws {
        let client = PathClient(url: nil) { Issue.record("\($0) was requested") }
        let articles = DataSource<Article>(client: client)
        let pages = articles.relationship(\.authors, of: "1").pages(
            from: "/api/articles/1/relationships/authors?page=2")
        let error = await #expect(throws: JSONAPIError.self) { for try await _ in pages {} }
        #expect(error?.code == .link)
    }
}
