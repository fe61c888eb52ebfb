// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn)
struct OperationsTests {
    private func results(_ reply: Reply) throws -> [JSONValue] {
        try reply.document?.additionalMembers["atomic:results"]?.decode() ?? []
    }

    @Test func localIDsReferToNewResources() async throws {
        let server = MockJSONAPIServer.blog()
        let reply = try await server.perform(
            """
            {"op":"add","data":{"type":"people","lid":"p","attributes":{"name":"Tom"}}},
            {"op":"add","data":{"type":"articles","lid":"a","relationships":{"author":{"data":{"type":"people","lid":"p"}}}}},
            {"op":"update","data":{"type":"people","lid":"p","attributes":{"name":"Thomas"}}},
            {"op":"update","ref":{"type":"articles","id":"1","relationship":"author"},"data":{"type":"people","lid":"p"}},
            {"op":"remove","ref":{"type":"articles","lid":"a"}}
            """)
        #expect(reply.status == 200)
        #expect(
            JSONAPIMediaType(contentType: reply.fields[.contentType] ?? "")?.extensions == [
                "https://jsonapi.org/ext/atomic"
            ])
        let results = try results(reply)
        #expect(results.count == 5)
        #expect(results[0]["data"]?["id"] == "3")
        #expect(results[1]["data"]?["relationships"]?["author"]?["data"]?["id"] == "3")
        #expect(results[2]["data"]?["attributes"]?["name"] == "Thomas")
        #expect(results[3] == [:])
        #expect(results[4] == [:])
        #expect(server.resource("articles", "4") == nil)
        #expect(server.resource("articles", "1")?.relationships?["author"]?.data?.identifiers.first?.id == "3")
    }

    @Test func relationshipsAreChanged() async throws {
        let server = MockJSONAPIServer.blog()
        let reply = try await server.perform(
            """
            {"op":"add","ref":{"type":"articles","id":"2","relationship":"comments"},"data":[{"type":"comments","id":"1"}]},
            {"op":"remove","href":"/articles/1/relationships/comments","data":[{"type":"comments","id":"1"}]},
            {"op":"update","href":"https://example.com/articles/3/relationships/comments","data":[{"type":"comments","id":"2"}]}
            """)
        #expect(reply.status == 204)
        let comments = ["1", "2", "3"].map {
            server.resource("articles", $0)?.relationships?["comments"]?.data?.identifiers.compactMap(\.id)
        }
        #expect(comments == [["2"], ["1"], ["2"]])
    }

    @Test func aFailureUndoesAllOperations() async throws {
        let server = MockJSONAPIServer.blog()
        let before = server.resources
        let reply = try await server.perform(
            """
            {"op":"add","data":{"type":"people"}}, {"op":"remove","ref":{"type":"articles","id":"1"}},
            {"op":"add","data":{"type":"articles","relationships":{"author":{"data":{"type":"people","id":"9"}}}}}
            """)
        #expect(reply.status == 404)
        #expect(reply.source?.pointer == "/atomic:operations/2/data/relationships/author")
        #expect(server.resources == before)
    }

    @Test(arguments: [
        (400, ""), (400, "1"), (400, #"{"op":"make","data":{"type":"people"}}"#), (400, #"{"op":"add"}"#),
        (400, #"{"op":"remove"}"#), (400, #"{"op":"add","data":7}"#),
        (404, #"{"op":"remove","ref":{"type":"people","lid":"none"}}"#), (404, #"{"op":"remove","href":"/a/b/c/d/e"}"#),
        (400, #"{"op":"remove","ref":{"type":"people","id":"1"},"href":"/people/1"}"#),
        (409, #"{"op":"add","href":"/articles","data":{"type":"people"}}"#),
        (409, #"{"op":"update","ref":{"type":"people","id":"1"},"data":{"type":"people","id":"2"}}"#),
        (400, #"{"op":"add","data":{"type":"a","lid":"x"}},{"op":"add","data":{"type":"a","lid":"x"}}"#),
    ])
    func aFaultyOperationIsRefused(_ status: Int, _ operations: String) async throws {
        let server = MockJSONAPIServer.blog()
        let before = server.resources
        let reply = try await server.perform(operations)
        #expect(reply.status == status)
        #expect(reply.source?.pointer?.hasPrefix("/atomic:operations") == true)
        #expect(server.resources == before)
    }

    @Test func theExtensionIsNeededAtThePathOfOperationsOnly() async throws {
        let server = MockJSONAPIServer.blog()
        #expect(try await server.exchange(.post, "/operations", "{}").status == 415)
        let atomic = JSONAPIMediaType(extensions: ["https://jsonapi.org/ext/atomic"]).description
        #expect(try await server.exchange(.post, "/people", "{}", contentType: atomic).status == 415)
    }
}
