// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn)
struct ChangingTests {
    @Test func aNewResourceGetsAnIDAndALocation() async throws {
        let server = MockJSONAPIServer.blog()
        let reply = try await server.exchange(
            .post, "/people", #"{"data":{"type":"people","attributes":{"name":"Tom"}}}"#)
        #expect(reply.status == 201)
        #expect(reply.ids == ["3"])
        #expect(reply.fields[.location] == "https://example.com/people/3")
        #expect(reply.document?.data?.resources.first?.links?["self"]?.href == reply.fields[.location])
        #expect(server.resource("people", "3")?.attributes == ["name": "Tom"])
        #expect(server.remove("people", "3"))
        let next = try await server.exchange(.post, "/people", #"{"data":{"type":"people"}}"#)
        #expect(next.ids == ["4"], "an id is not used again")
    }

    @Test func aNewResourceCanReferToItselfByItsLocalID() async throws {
        let server = MockJSONAPIServer.blog()
        let reply = try await server.exchange(
            .post, "/people",
            #"{"data":{"type":"people","lid":"p","relationships":{"boss":{"data":{"type":"people","lid":"p"}}}}}"#)
        #expect(reply.status == 201)
        let boss = server.resource("people", "3")?.relationships?["boss"]?.data
        #expect(boss == .toOne(ResourceIdentifierObject(type: "people", id: "3")))
    }

    @Test(
        arguments: [
            (403, "/people", #"{"data":{"type":"people","id":"9"}}"#, "/data/id"),
            (409, "/people", #"{"data":{"type":"articles"}}"#, "/data/type"),
            (
                404, "/articles",
                #"{"data":{"type":"articles","relationships":{"author":{"data":{"type":"people","id":"9"}}}}}"#,
                "/data/relationships/author"
            ),
            (400, "/people", #"{"data":{"attributes":{}}}"#, "/data"),
            (400, "/people", #"{"data":null}"#, "/data"),
            (400, "/people", #"{"data":{"type":"people","attributes":{"a b ":1}}}"#, "/data/attributes/a b "),
            (400, "/people", "{", ""),
            (404, "/planets", #"{"data":{"type":"planets"}}"#, nil),
        ] as [(Int, String, String, String?)])
    func aFaultyResourceIsRefused(_ status: Int, _ path: String, _ body: String, _ pointer: String?) async throws {
        let server = MockJSONAPIServer.blog { $0.types = ["articles", "comments", "people"] }
        let before = server.resources
        let reply = try await server.exchange(.post, path, body)
        #expect(reply.status == status)
        #expect(reply.source?.pointer == pointer)
        #expect(server.resources == before)
    }

    @Test func aClientCanChooseIDsIfTheServerAllowsIt() async throws {
        let server = MockJSONAPIServer.blog {
            $0.acceptsClientIDs = true
            $0.omitsUnchangedDocuments = true
        }
        let body = #"{"data":{"type":"people","id":"x","attributes":{"name":"Tom"}}}"#
        let reply = try await server.exchange(.post, "/people", body)
        #expect(reply.status == 204)
        #expect(reply.fields[.location] == "https://example.com/people/x")
        #expect(try await server.exchange(.post, "/people", body).status == 409)
    }

    @Test func anUpdateChangesTheFieldsThatItHas() async throws {
        let server = MockJSONAPIServer.blog()
        let reply = try await server.exchange(
            .patch, "/articles/1?include=author",
            #"{"data":{"type":"articles","id":"1","attributes":{"title":null},"relationships":{"author":{"data":{"type":"people","id":"2"}}}}}"#
        )
        #expect(reply.status == 200)
        #expect(reply.included == ["people/2"])
        let article = server.resource("articles", "1")
        #expect(article?.attributes?.description == #"{"title":null,"words":300}"#)
        #expect(article?.relationships?["comments"]?.data?.identifiers.count == 2)
    }

    @Test func anUpdateMustFitItsURL() async throws {
        let server = MockJSONAPIServer.blog { $0.allowsFullReplacement = false }
        #expect(try await server.exchange(.patch, "/people/9", #"{"data":{"type":"people","id":"9"}}"#).status == 404)
        #expect(try await server.exchange(.patch, "/people/1", #"{"data":{"type":"people","id":"2"}}"#).status == 409)
        let replacement =
            #"{"data":{"type":"articles","id":"1","relationships":{"comments":{"data":[]}}}}"#
        #expect(try await server.exchange(.patch, "/articles/1", replacement).status == 403)
    }

    @Test func aRemovedResourceIsNotReferredTo() async throws {
        let server = MockJSONAPIServer.blog()
        #expect(try await server.exchange(.delete, "/comments/1").status == 204)
        #expect(try await server.exchange(.delete, "/comments/1").status == 404)
        #expect(try await server.exchange(.delete, "/people/1").status == 204)
        let article = server.resource("articles", "1")?.relationships
        #expect(article?["comments"]?.data?.identifiers.map(\.id) == ["2"])
        #expect(article?["author"]?.data == .toOne(nil))
    }

    @Test func theServerValidatesResources() async throws {
        let server = MockJSONAPIServer.blog {
            $0.validate = { resource in
                resource.attributes?["name"]?.text == "\"\""
                    ? [JSONAPIErrorObject(title: "Empty", source: .init(pointer: "/data/attributes/name"))] : []
            }
        }
        let reply = try await server.exchange(
            .patch, "/people/1", #"{"data":{"type":"people","id":"1","attributes":{"name":""}}}"#)
        #expect(reply.status == 422)
        #expect(reply.source?.pointer == "/data/attributes/name")
        #expect(server.resource("people", "1")?.attributes?["name"]?.text == "\"Dan\"")
    }

    @Test func aMethodThatIsNotAllowedGetsThoseThatAre() async throws {
        let server = MockJSONAPIServer.blog()
        let reply = try await server.exchange(.put, "/articles/1")
        #expect(reply.status == 405)
        #expect(reply.fields[.allow] == "GET, PATCH, DELETE")
        let name = try #require(HTTPField.Name("X-HTTP-Method-Override"))
        let overridden = try await server.exchange(
            .post, "/people/1", #"{"data":{"type":"people","id":"1","attributes":{"name":"D"}}}"#,
            fields: [name: "PATCH"])
        #expect(overridden.status == 200)
    }
}
