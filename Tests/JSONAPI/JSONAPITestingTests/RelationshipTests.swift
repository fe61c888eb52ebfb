// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn)
struct RelationshipTests {
    @Test func linkageIsFetched() async throws {
        let server = MockJSONAPIServer.blog()
        let comments = try await server.exchange(.get, "/articles/1/relationships/comments?include=comments.author")
        #expect(comments.ids == ["1", "2"])
        #expect(comments.included == ["comments/1", "comments/2", "people/2", "people/1"])
        #expect(comments.document?.links?.related?.href == "https://example.com/articles/1/comments")
        #expect(try await server.exchange(.get, "/articles/3/relationships/author").document?.data == .single(nil))
        #expect(try await server.exchange(.get, "/articles/1/relationships/comments?include=author").status == 400)
    }

    @Test func aToOneRelationshipIsReplaced() async throws {
        let server = MockJSONAPIServer.blog()
        let path = "/articles/1/relationships/author"
        #expect(try await server.exchange(.patch, path, #"{"data":{"type":"people","id":"2"}}"#).status == 204)
        #expect(server.resource("articles", "1")?.relationships?["author"]?.data?.identifiers.map(\.id) == ["2"])
        #expect(try await server.exchange(.patch, path, #"{"data":null}"#).status == 204)
        #expect(server.resource("articles", "1")?.relationships?["author"]?.data == .toOne(nil))
        #expect(try await server.exchange(.patch, path, #"{"data":[]}"#).status == 400)
        #expect(try await server.exchange(.patch, path, #"{"data":{"type":"people","id":"9"}}"#).status == 404)
        #expect(try await server.exchange(.post, path, #"{"data":[]}"#).fields[.allow] == "GET, PATCH")
    }

    @Test func aToManyRelationshipIsChanged() async throws {
        let server = MockJSONAPIServer.blog()
        let path = "/articles/2/relationships/comments"
        func comments() -> [String?] {
            server.resource("articles", "2")?.relationships?["comments"]?.data?.identifiers.map(\.id) ?? []
        }
        let (first, second) = (#"{"type":"comments","id":"1"}"#, #"{"type":"comments","id":"2"}"#)
        #expect(try await server.exchange(.post, path, #"{"data":[\#(first)]}"#).status == 204)
        #expect(try await server.exchange(.post, path, #"{"data":[\#(first),\#(second)]}"#).status == 204)
        #expect(comments() == ["1", "2"])
        #expect(try await server.exchange(.delete, path, #"{"data":[\#(first)]}"#).status == 204)
        #expect(try await server.exchange(.delete, path, #"{"data":[\#(first)]}"#).status == 204)
        #expect(comments() == ["2"])
        #expect(try await server.exchange(.patch, path, #"{"data":[\#(first)]}"#).status == 204)
        #expect(comments() == ["1"])
        #expect(try await server.exchange(.patch, path, #"{"data":null}"#).status == 400)
    }

    /// A relationship exists for all resources of a type when one of them has it.
    @Test func relationshipsExistForEachTypeAndNotForEachResource() async throws {
        let server = MockJSONAPIServer.blog()
        server.insert(ResourceObject(type: "articles", id: "4", attributes: ["title": "Fourth"]))
        server.insert(
            ResourceObject(type: "articles", id: "5", relationships: ["comments": RelationshipObject(links: [:])]))
        for id in ["4", "5"] {
            let place = "/articles/\(id)"
            #expect(try await server.exchange(.get, "\(place)/relationships/author").document?.data == .single(nil))
            let comments = try await server.exchange(.get, "\(place)/relationships/comments")
            #expect(comments.document?.data == .collection([]))
            #expect(try await server.exchange(.get, "\(place)/author").document?.data == .single(nil))
            #expect(try await server.exchange(.get, "\(place)/comments").document?.data == .collection([]))
            let comment = #"{"data":[{"type":"comments","id":"1"}]}"#
            #expect(try await server.exchange(.post, "\(place)/relationships/comments", comment).status == 204)
            let author = #"{"data":{"type":"people","id":"2"}}"#
            #expect(try await server.exchange(.patch, "\(place)/relationships/author", author).status == 204)
            #expect(try await server.exchange(.get, "\(place)/comments").ids == ["1"])
            #expect(try await server.exchange(.get, "\(place)/author").ids == ["2"])
            #expect(try await server.exchange(.get, "\(place)/relationships/tags").status == 404)
        }
        #expect(server.resource("articles", "4")?.attributes?["title"]?.text == #""Fourth""#)
    }

    @Test func replacementCanBeForbidden() async throws {
        let server = MockJSONAPIServer.blog { $0.allowsFullReplacement = false }
        let path = "/articles/1/relationships/comments"
        #expect(try await server.exchange(.patch, path, #"{"data":[]}"#).status == 403)
        #expect(try await server.exchange(.delete, path, #"{"data":[{"type":"comments","id":"1"}]}"#).status == 204)
    }
}
