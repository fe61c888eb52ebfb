// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import JSONAPI
import JSONAPITesting
import Newsroom
import TestTurns
import Testing
import WireJSON

/// The samples of the documentation.
@Suite("Samples", .inTurn)
struct ArticleTests {
    @Test func aPersonIsRead() async throws {
        let baseURL = try #require(URL(string: "https://example.com"))
        let server = MockJSONAPIServer(resources: [
            ResourceObject(type: "people", id: "1", attributes: ["name": "Dan"])
        ])
        let client = JSONAPIClient(session: HTTPSession(transport: server), baseURL: baseURL)
        let dan = try await DataSource<Person>(client: client).read(id: "1").result().resource
        #expect(dan?.name == "Dan")
        #expect(server.requests.map(\.description) == ["GET https://example.com/people/1"])
    }

    @Test func aPersonIsCreated() async throws {
        let baseURL = try #require(URL(string: "https://example.com"))
        let server = MockJSONAPIServer(resources: [
            ResourceObject(type: "people", id: "1", attributes: ["name": "Dan"])
        ])
        let client = JSONAPIClient(session: HTTPSession(transport: server), baseURL: baseURL)
        let people = DataSource<Person>(client: client)

        var person = Person()
        person.name = "Yehuda"
        person = try await people.create(person).resource()
        #expect(person.id == "2")
        #expect(server.resource("people", "2")?.attributes?["name"]?.text == #""Yehuda""#)

        server.inject(.status(503), into: .get("/people/1"))
        await #expect(throws: JSONAPIError.self) { try await people.read(id: "1").result() }
        try server.verify()
    }
}
