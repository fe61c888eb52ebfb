// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import TestSupport
import TestTurns
import Testing
import WireJSON

/// The documents of a FastAPI-JSONAPI server at the raw level.
@Suite(.inTurn(within: .seconds(120)))
struct RawOperationsTests {
    private let atomic = JSONAPIMediaType(extensions: ["https://jsonapi.org/ext/atomic"])

    private func perform(_ operations: String, at server: OperationsServer) async throws -> RawExchange {
        try await RawExchange(
            .post, "\(server.url)/operations", body: #"{"atomic:operations":[\#(operations)]}"#, contentType: atomic,
            accept: atomic.description)
    }

    @Test func aLocalIDRefersToANewResource() async throws {
        try await OperationsServer.run { server in
            let exchange = try await perform(
                """
                {"op":"add","data":{"type":"people","lid":"p","attributes":{"name":"Dan"}}},
                {"op":"add","data":{"type":"articles","attributes":{"title":"One"},
                 "relationships":{"author":{"data":{"type":"people","lid":"p"}}}}}
                """, at: server)
            #expect(exchange.status == 200)
            #expect(exchange.fields[.contentType] == "application/json", "the media type of this server")
            #expect(try exchange.findings { $0.extensionNamespaces = ["atomic"] } == [])
            let text = String(decoding: exchange.body, as: UTF8.self)
            #expect(text.contains(#""meta":null"#), "this server's results have it, against the specification")
            let article = try await RawExchange(.get, "\(server.url)/articles/1/?include=author").document
            #expect(try article.included?.first?.attributes?["name"]?.decode(as: String.self) == "Dan")
        }
    }

    @Test func aFailureUndoesAllOperations() async throws {
        try await OperationsServer.run { server in
            let exchange = try await perform(
                """
                {"op":"add","data":{"type":"people","attributes":{"name":"Undone"}}},
                {"op":"remove","ref":{"type":"people","id":"99"}}
                """, at: server)
            #expect(exchange.status == 404)
            let error = try #require(try exchange.document.errors?.first)
            #expect(error.status == nil)
            #expect(error.additionalMembers["status_code"]?.text == "404", "the member of this server")
            let people = try await RawExchange(.get, "\(server.url)/people/").document
            #expect(people.data?.resources == [])
        }
    }
}
