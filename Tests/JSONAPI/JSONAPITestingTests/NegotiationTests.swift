// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestTurns
import Testing

@Suite(.inTurn)
struct NegotiationTests {
    private let body = #"{"data":{"type":"people"}}"#

    @Test(arguments: [
        (201, JSONAPIMediaType.name), (201, "Application/vnd.API+json;profile=\"https://example.com/p\""),
        (415, "application/json"), (415, ""), (415, "application/vnd.api+json;charset=utf-8"),
        (415, "application/vnd.api+json;ext=\"https://example.com/unknown\""),
    ])
    func theMediaTypeOfARequestIsChecked(_ status: Int, _ type: String) async throws {
        let reply = try await MockJSONAPIServer().exchange(.post, "/people", body, contentType: type)
        #expect(reply.status == status)
        if status == 415 { #expect(reply.source?.header == "Content-Type") }
    }

    @Test(
        arguments: [
            (200, nil), (200, "*/*"), (200, "application/*;q=0.5"), (200, "text/html, application/vnd.api+json"),
            (200, "application/vnd.api+json;ext=\"x:y\", application/vnd.api+json;q=0.9"),
            (406, "text/html"), (406, "application/json"), (406, "application/vnd.api+json;ext=\"x:y\""),
            (406, "application/vnd.api+json;charset=utf-8"), (406, "application/vnd.api+json;ext=\"a,b c\""),
        ] as [(Int, String?)])
    func acceptIsChecked(_ status: Int, _ accept: String?) async throws {
        let reply = try await MockJSONAPIServer().exchange(.get, "/people", accept: accept)
        #expect(reply.status == status)
        if status == 406 { #expect(reply.source?.header == "Accept") }
    }
}
