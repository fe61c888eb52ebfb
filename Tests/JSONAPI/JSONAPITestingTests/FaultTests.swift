// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestTurns
import Testing

@Suite(.inTurn)
struct FaultTests {
    private let body = #"{"data":{"type":"people"}}"#

    @Test func aRequestIsRefusedOnce() async throws {
        let server = MockJSONAPIServer()
        server.inject(.status(503), into: .post("/people"))
        #expect(try await server.exchange(.get, "/people").status == 200)
        let refused = try await server.exchange(.post, "/people", body)
        #expect(refused.status == 503)
        #expect(refused.document?.errors?.first?.status == "503")
        #expect(server.resources.isEmpty)
        #expect(try await server.exchange(.post, "/people", body).status == 201)
        try server.verify()
    }

    @Test func allRequestsAreRefused() async throws {
        let server = MockJSONAPIServer()
        server.inject(.status(429, errors: [JSONAPIErrorObject(code: "slow")]), intoAll: .get("/people"))
        for _ in 0..<3 { #expect(try await server.exchange(.get, "/people").document?.errors?.first?.code == "slow") }
        #expect(try await server.exchange(.post, "/people", body).status == 201)
    }

    @Test func aFaultThatWasNotUsedIsReported() async throws {
        let server = MockJSONAPIServer()
        server.inject(.status(500))
        #expect(throws: MockHTTPTransportError.self) { try server.verify() }
    }

    @Test func theResponseIsLostAfterTheRequestWasPerformed() async throws {
        let server = MockJSONAPIServer()
        server.inject(.lostResponse)
        let error = await #expect(throws: HTTPTransportError.self) {
            _ = try await server.exchange(.post, "/people", body)
        }
        #expect(error?.code == .connectionLost)
        #expect(server.resources.count == 1)
    }

    @Test func theMediaTypeOrTheBodyOfTheResponseIsWrong() async throws {
        let server = MockJSONAPIServer()
        server.inject(.contentType("text/html"))
        server.inject(.body("<html>"))
        let request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/people")
        let html = try await server.send(request, body: nil, context: HTTPRequestContext()).head
        #expect(html.headerFields[.contentType] == "text/html")
        let stream = try await server.send(request, body: nil, context: HTTPRequestContext()).body
        #expect(try await stream.collect(upTo: 100) == Array("<html>".utf8))
    }

    @Test func aRequestIsDelayedByAClock() async throws {
        let (server, clock) = (MockJSONAPIServer(), ImmediateHTTPClock())
        server.inject(.delay(.seconds(60), on: clock))
        #expect(try await server.exchange(.get, "/people").status == 200)
        #expect(clock.pauses == [.seconds(60)])
    }

    @Test func aRequestIsHeldUntilTheTestOpensTheGate() async throws {
        let (server, gate) = (MockJSONAPIServer(), HTTPGate())
        server.inject(.held(by: gate))
        async let reply = server.exchange(.post, "/people", body)
        try await server.waitForRequests(1)
        #expect(server.resources.isEmpty)
        gate.open()
        #expect(try await reply.status == 201)
    }

    @Test func exchangesAreKept() async throws {
        let server = MockJSONAPIServer()
        _ = try await server.exchange(.post, "/people", body, fields: [.authorization: "Bearer secret"])
        _ = try await server.exchange(.get, "/people/1")
        #expect(
            server.requests.map(\.description) == [
                "POST https://example.com/people", "GET https://example.com/people/1",
            ])
        #expect(server.exchanges.map(\.status) == [201, 200])
        #expect(server.exchanges[0].requestBody?.text == body)
        #expect(server.exchanges[0].requestFields.contains(["Authorization", "REDACTED"]))
        #expect(try RawDocument(parsing: server.exchanges[1].responseBody.bytes ?? []).data?.resources.count == 1)
    }

    @Test func concurrentRequestsGetDifferentIDs() async throws {
        let server = MockJSONAPIServer()
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { _ = try await server.exchange(.post, "/people", body) } }
            try await group.waitForAll()
        }
        #expect(Set(server.resources.map(\.id)).count == 50)
    }
}
