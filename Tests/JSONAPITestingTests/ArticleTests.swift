// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestTurns
import Testing
import WireJSON

/// The samples of the documentation.
@Suite("Samples", .inTurn)
struct ArticleTests {
    @Test func aProgramCreatesAPerson() async throws {
        let server = MockJSONAPIServer(resources: [
            ResourceObject(type: "people", id: "1", attributes: ["name": "Dan"])
        ])
        let session = HTTPSession(transport: server)
        _ = session
        _ = try await server.exchange(
            .post, "/people", #"{"data":{"type":"people","attributes":{"name":"Yehuda"}}}"#)
        #expect(server.resource("people", "2")?.attributes == ["name": "Yehuda"])
        #expect(server.requests.map(\.description) == ["POST https://example.com/people"])
    }

    @Test func aRequestFails() async throws {
        let server = MockJSONAPIServer(resources: [
            ResourceObject(type: "people", id: "1", attributes: ["name": "Dan"])
        ])
        server.inject(.status(503), into: .post("/people"))
        let session = HTTPSession(transport: server)
        _ = session
        #expect(try await server.exchange(.post, "/people", #"{"data":{"type":"people"}}"#).status == 503)
    }
}
