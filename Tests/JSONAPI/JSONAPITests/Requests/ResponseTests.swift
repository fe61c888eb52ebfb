// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Responses and failures", .inTurn)
struct ResponseTests {
    private func failure(_ api: MockAPI, _ path: String = "articles") async throws -> JSONAPIError {
        try await JSONAPITests.failure { () async throws(JSONAPIError) in
            try await api.client.send(JSONAPIRequest(path: path))
        }
    }

    @Test func descriptionsLeaveOutTheBytes() {
        let body = Array(#"{"data":[]}"#.utf8)
        let response = RawResponse(body: body)
        #expect("\(response)" == "no head, 11 bytes")
        #expect("\(JSONAPIClientError.failure(nil, body))" == "The request failed. (11 bytes)")
    }

    @Test(arguments: [
        (400, JSONAPIError.Code.clientError), (401, .clientError), (403, .forbidden), (404, .notFound),
        (406, .notAcceptable), (409, .conflict), (415, .unsupportedMediaType), (418, .clientError),
        (422, .clientError), (499, .clientError), (500, .serverError), (503, .serverError), (304, .unexpectedStatus),
        (399, .unexpectedStatus),
    ])
    func statusesOfFailureAreKeptWithTheErrors(_ status: Int, _ code: JSONAPIError.Code) async throws {
        let api = try MockAPI()
        api.answer(
            #"{"errors":[{"status":422,"title":"No","source":{"pointer":"/data"}},{"status":"500"}]}"#,
            status: status, fields: [.eTag: "x"])
        let error = try await failure(api)
        #expect(error.code == code)
        #expect(error.status?.code == status)
        #expect(error.response?.headerFields[.eTag] == "x")
        #expect(error.errors.map(\.status) == ["422", "500"])
        #expect(error.errors.first?.source?.pointer == "/data")
        #expect("\(error)".contains("\(status)"))
        #expect("\(error)".contains("No, at `/data` (2 errors in all)"))
    }

    @Test(arguments: ["<html>Bad gateway</html>", "", "[1]", #"{"message":"no"}"#, #"{"errors":{}}"#, "{", "\u{FF}"])
    func bodiesOfFailuresThatAreNoDocumentsAreKept(_ body: String) async throws {
        for type in ["text/html", "application/json", JSONAPIMediaType.name] {
            let api = try MockAPI()
            api.answer(body, status: 502, fields: [.contentType: type])
            let error = try await failure(api)
            #expect(error.code == .serverError)
            #expect(error.status == .badGateway)
            #expect(error.body == Array(body.utf8))
            #expect(error.errors.isEmpty)
            #expect(!"\(error)".contains("<html>"))
        }
    }

    @Test func successfulResponsesWithErrorsFail() async throws {
        let api = try MockAPI()
        api.answer(#"{"errors":[{"title":"Half"}]}"#)
        let error = try await failure(api)
        #expect(error.code == .errors)
        #expect(error.status == .ok)
        #expect(error.errors.first?.title == "Half")
    }

    @Test func emptyErrorsFailOnlyWithoutData() async throws {
        let api = try MockAPI()
        api.answer(#"{"errors":[],"data":[]}"#)
        #expect(try await api.client.send(JSONAPIRequest(path: "a")).document?.data == .collection([]))
        api.answer(#"{"errors":[]}"#)
        #expect(try await failure(api).code == .errors)
    }

    @Test func otherMediaTypesAreRefusedUnlessAllowed() async throws {
        for type in ["application/json", "text/html; charset=utf-8"] {
            let api = try MockAPI()
            api.answer(#"{"data":[]}"#, fields: [.contentType: type])
            let error = try await failure(api)
            #expect(error.code == .mediaType)
            #expect(error.body == Array(#"{"data":[]}"#.utf8))
            #expect("\(error)".contains(type))
        }
        var options = JSONAPIClient.Options()
        options.response.acceptsOtherMediaTypes = true
        let api = try MockAPI(options: options)
        api.answer(#"{"data":[]}"#, fields: [.contentType: "application/json"])
        let response = try await api.client.send(JSONAPIRequest(path: "articles"))
        #expect(response.document?.data == .collection([]))
    }

    @Test func documentsThatCannotBeReadNameThePlace() async throws {
        let api = try MockAPI()
        api.answer(#"{"data":{"id":"1"}}"#)
        let error = try await failure(api)
        #expect(error.code == .document)
        #expect((error.underlying as? DocumentError)?.pointer == JSONPointer(["data"]))
        #expect(error.status == .ok)
        #expect(error.body == Array(#"{"data":{"id":"1"}}"#.utf8))
    }

    @Test func outcomesTellWhereAndWhen() async throws {
        let api = try MockAPI()
        api.answer(#"{"data":{"type":"a","id":"1"}}"#, status: 201, fields: [.location: "/v1/a/1"])
        api.answer(
            "soon", status: 202, fields: [.contentType: "text/plain", .contentLocation: "/jobs/5", .retryAfter: "3"])
        api.answer(status: 202)
        api.answer(status: 204)
        api.answer(#"{"meta":{}}"#, status: 299)
        var outcomes: [ServerResponse.Outcome] = []
        for _ in 0..<5 {
            outcomes.append(try await api.client.send(JSONAPIRequest(path: "a", method: .post)).outcome)
        }
        #expect(
            outcomes == [
                .created(location: "/v1/a/1"), .accepted(contentLocation: "/jobs/5", retryAfter: .seconds(3)),
                .accepted(contentLocation: nil, retryAfter: nil), .noContent, .ok,
            ])
    }

    @Test func largeBodiesEndAtTheLimitAndKeepTheStatus() async throws {
        var configuration = HTTPSessionConfiguration()
        configuration.maximumResponseBytes = 10
        let api = try MockAPI(configuration: configuration)
        let body = #"{"errors":[{"title":"too long"}]}"#
        api.answer(body, status: 500)
        let refused = try await failure(api)
        #expect(refused.code == .serverError)
        #expect(refused.body == Array(body.utf8.prefix(10)))
        api.answer(body)
        let large = try await failure(api)
        #expect(large.code == .connection)
        #expect(large.status == .ok)
    }

    @Test func brokenConnectionsAndCancellationAreToldApart() async throws {
        let api = try MockAPI()
        api.transport.expect(reply: .failure(HTTPTransportError(.connectionLost, "gone")))
        let error = try await failure(api)
        #expect(error.code == .connection)
        #expect(error.response == nil)

        api.transport.expect(reply: .none)
        let task = Task { try await failure(api) }
        try await api.transport.waitForRequests(2)
        task.cancel()
        #expect(try await task.value.code == .cancelled)
    }

    @Test func samplesOfErrors() async throws {
        let api = try MockAPI()
        let client = api.client
        api.answer(#"{"errors":[{"detail":"There is one"}]}"#, status: 409)
        let request = JSONAPIRequest(path: "articles", method: .post)
        do {
            _ = try await client.send(request)
        } catch  where error.code == .conflict {
            print(error.errors.first?.detail ?? "The article exists already.")
        } catch {
            print(error)
        }
        try api.transport.verify()
    }
}
