// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing

@Suite("Negotiation of requests", .inTurn)
struct NegotiationTests {
    private static let operations = "https://jsonapi.org/ext/atomic"
    private static let profile = "https://example.com/profile"

    @Test func requestsWithoutDocumentHaveNoContentType() async throws {
        let api = try MockAPI()
        api.answer(#"{"data":null}"#)
        let response = try await api.client.send(JSONAPIRequest(path: "/articles/1"))
        let fields = try #require(api.transport.requests.first).head.headerFields
        #expect(fields[.accept] == "application/vnd.api+json")
        #expect(fields[.contentType] == nil)
        #expect(response.document?.data == .single(nil))
        #expect(api.calls == ["GET /v1/articles/1"])
    }

    @Test func documentsHaveTheMediaTypeWithExtensionsAndProfiles() async throws {
        var options = JSONAPIClient.Options()
        options.profiles = [Self.profile]
        let api = try MockAPI(options: options)
        api.answer(status: 204)
        var request = JSONAPIRequest(path: "operations", method: .post, body: RawDocument(meta: [:]))
        request.extensions = [Self.operations]
        let response = try await api.client.send(request)
        let sent = try #require(api.transport.requests.first)
        let type = #"application/vnd.api+json;ext="\#(Self.operations)";profile="\#(Self.profile)""#
        #expect(sent.head.headerFields[.contentType] == type)
        #expect(sent.head.headerFields[.accept] == type)
        #expect(sent.text == #"{"meta":{}}"#)
        #expect(response.outcome == .noContent)
        #expect(response.document == nil)
    }

    @Test func severalMediaTypesCanBeAccepted() async throws {
        var options = JSONAPIClient.Options()
        options.acceptedMediaTypes = [JSONAPIMediaType(extensions: [Self.operations]), JSONAPIMediaType()]
        let api = try MockAPI(options: options)
        api.answer(
            #"{"meta":{}}"#,
            fields: [.contentType: #"application/vnd.api+json; charset=utf-8; ext="\#(Self.operations)""#])
        let response = try await api.client.send(JSONAPIRequest(path: "articles"))
        let accept = #"application/vnd.api+json;ext="\#(Self.operations)", application/vnd.api+json;q=0.9"#
        #expect(api.transport.requests.first?.head.headerFields[.accept] == accept)
        #expect(response.mediaType?.extensions == [Self.operations])
    }

    @Test func unrequestedExtensionsAreRefused() async throws {
        let api = try MockAPI()
        api.answer(#"{"data":[]}"#, fields: [.contentType: #"application/vnd.api+json;ext="https://e.example""#])
        let error = try await failure { () async throws(JSONAPIError) in
            try await api.client.send(JSONAPIRequest(path: "articles"))
        }
        #expect(error.code == .unrequestedExtension)
        #expect(error.status == .ok)
    }

    @Test(arguments: [(406, JSONAPIError.Code.notAcceptable), (415, .unsupportedMediaType)])
    func refusedParametersAreLeftOutOnceIfAsked(_ status: Int, _ code: JSONAPIError.Code) async throws {
        var options = JSONAPIClient.Options()
        options.profiles = [Self.profile]
        let strict = try MockAPI(options: options)
        strict.answer(status: status)
        let error = try await failure { () async throws(JSONAPIError) in
            try await strict.client.send(JSONAPIRequest(path: "articles"))
        }
        #expect(error.code == code)
        #expect(strict.calls.count == 1)

        options.retriesWithoutParameters = true
        let tolerant = try MockAPI(options: options)
        tolerant.answer(status: status)
        tolerant.answer(#"{"data":[]}"#)
        let response = try await tolerant.client.send(JSONAPIRequest(path: "articles"))
        #expect(response.document?.data == .collection([]))
        #expect(
            tolerant.transport.requests.map { $0.head.headerFields[.accept] ?? "" } == [
                #"application/vnd.api+json;profile="\#(Self.profile)""#, "application/vnd.api+json",
            ])

        tolerant.answer(status: status)
        tolerant.answer(status: status)
        let second = try await failure { () async throws(JSONAPIError) in
            try await tolerant.client.send(JSONAPIRequest(path: "articles"))
        }
        #expect(second.code == code)
        #expect(tolerant.calls.count == 4)
    }

    @Test func methodsCanBeOverridden() async throws {
        var options = JSONAPIClient.Options()
        options.overriddenMethods = [.patch]
        let api = try MockAPI(options: options)
        api.answer(status: 204)
        _ = try await api.client.send(
            JSONAPIRequest(path: "articles/1", method: .patch, body: RawDocument(data: .single(nil))))
        let head = try #require(api.transport.requests.first).head
        #expect(head.method == .post)
        #expect(HTTPField.Name("X-HTTP-Method-Override").map { head.headerFields[$0] } == "PATCH")
    }
}
