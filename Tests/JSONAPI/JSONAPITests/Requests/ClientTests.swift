// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing

/// A program's existing way to send requests.
protocol AccountTransport: Sendable {
    func send(
        _ method: String, _ path: String, _ query: String, _ body: [UInt8]?, _ account: (any Sendable)?
    ) async throws -> (isSuccess: Bool, body: [UInt8])
}

struct AccountClient: JSONAPISender {
    let transport: any AccountTransport

    func execute(_ request: JSONAPIRequest) async throws -> RawResponse {
        let reply = try await transport.send(
            request.method.rawValue, request.plainPath(), JSONAPIQuery.encoding.encode(request.query.items),
            request.body?.bytes, request.userInfo["account"])
        guard reply.isSuccess else { throw JSONAPIClientError.failure(nil, reply.body) }
        return RawResponse(body: reply.body)
    }
}

@Suite("Clients", .inTurn)
struct ClientTests {
    private struct Reply: AccountTransport {
        var isSuccess = true
        var body = #"{"data":[]}"#
        var error: (any Error)?

        func send(
            _ method: String, _ path: String, _ query: String, _ body: [UInt8]?, _ account: (any Sendable)?
        ) async throws -> (isSuccess: Bool, body: [UInt8]) {
            if let error { throw error }
            #expect([method, path, query] == ["POST", "/articles", "include=author"])
            #expect(body == Array(#"{"data":null}"#.utf8))
            #expect(account as? String == "a")
            return (isSuccess, Array(self.body.utf8))
        }
    }

    private let request = JSONAPIRequest(path: "/articles", method: .post, body: RawDocument(data: .single(nil)))
        .include(["author"]).userInfo(["account": "b"]).userInfo(["account": "a"])

    @Test func clientsOfProgramsGetAllProperties() async throws {
        let response = try await AccountClient(transport: Reply()).send(request)
        #expect(response.document?.data == .collection([]))
        #expect(response.status == .ok)
    }

    @Test func failuresOfClientsKeepTheDocument() async throws {
        let failing = AccountClient(
            transport: Reply(isSuccess: false, body: #"{"errors":[{"title":"No"}]}"#))
        let error = try await failure { () async throws(JSONAPIError) in try await failing.send(request) }
        #expect(error.code == .errors)
        #expect(error.errors.map(\.title) == ["No"])
        let html = AccountClient(transport: Reply(isSuccess: false, body: "<html>"))
        let other = try await failure { () async throws(JSONAPIError) in try await html.send(request) }
        #expect(other.code == .unspecified)
        #expect(other.message == "The client reports a failure.")
        #expect(other.body == Array("<html>".utf8))
        #expect(other.document == nil)
    }

    @Test func cancellationAndOtherErrorsAreToldApart() async throws {
        for (error, code) in [
            (CancellationError(), JSONAPIError.Code.cancelled),
            (JSONAPIClientError.failure(CancellationError(), nil), .cancelled),
            (HTTPTransportError(.timedOut, "late"), .connection),
            (
                HTTPRequestError<String>.connection(HTTPExchangeFailure(HTTPTransportError(.timedOut, "late"))),
                .connection
            ),
            (HTTPRequestError<String>.cancelled, .cancelled),
            (Refused(), .unspecified), (JSONAPIClientError.failure(Refused(), nil), .unspecified),
            (JSONAPIClientError.failure(nil, [0x7B]), .unspecified),
        ] as [(any Error, JSONAPIError.Code)] {
            let client = AccountClient(transport: Reply(error: error))
            let thrown = try await failure { () async throws(JSONAPIError) in try await client.send(request) }
            #expect(thrown.code == code)
        }
    }

    private struct Refused: Error, CustomStringConvertible {
        var description: String { "405" }
    }

    /// A refused request was sent. The error names the status if the client reports it in any way.
    @Test func aRefusalIsNoFailureToSend() async throws {
        let head = HTTPResponse(status: .methodNotAllowed, headerFields: [.allow: "GET"])
        let get = HTTPRequest(method: .get, scheme: "https", authority: "api.example.com", path: "/articles")
        let errors: [any Error] = [
            JSONAPIClientError.failure(nil, Array("<html>".utf8), head: head),
            JSONAPIClientError.failure(Refused(), nil, head: head),
            HTTPRequestError<String>.status(HTTPStatusFailure(request: get, head: head, failure: "no")),
            HTTPRequestError<[UInt8]>.status(HTTPStatusFailure(request: get, head: head, failure: nil)),
        ]
        for error in errors {
            let client = AccountClient(transport: Reply(error: error))
            let thrown = try await failure { () async throws(JSONAPIError) in try await client.send(request) }
            #expect(thrown.code == .clientError)
            #expect(thrown.status == .methodNotAllowed)
            #expect(thrown.response?.headerFields[.allow] == "GET")
            #expect(thrown.message == "The server answered with the status 405 Method Not Allowed.")
        }
        let client = AccountClient(transport: Reply(error: Refused()))
        let unknown = try await failure { () async throws(JSONAPIError) in try await client.send(request) }
        #expect(unknown.message == "The client reports a failure: 405")
        // The status is more specific than the client's error about the response.
        let document = Array(#"{"errors":[{"title":"No"}]}"#.utf8)
        let detailed = AccountClient(transport: Reply(error: JSONAPIClientError.failure(nil, document, head: head)))
        let refusal = try await failure { () async throws(JSONAPIError) in try await detailed.send(request) }
        #expect(refusal.errors.map(\.title) == ["No"])
        let accepted = JSONAPIClientError.failure(Refused(), nil, head: HTTPResponse(status: .ok))
        let other = AccountClient(transport: Reply(error: accepted))
        let error = try await failure { () async throws(JSONAPIError) in try await other.send(request) }
        #expect(error.code == .unspecified && error.status == .ok)
    }

    @Test func sessionsAuthorizeAndLimit() async throws {
        let transport = MockHTTPTransport(
            reply: .text(#"{"data":null}"#, fields: [.contentType: JSONAPIMediaType.name]))
        let baseURL = try #require(URL(string: "https://api.example.com"))
        let session = HTTPSession(transport: transport, interceptors: [RetryInterceptor()])
        let client = JSONAPIClient(session: session, baseURL: baseURL)
        let response = try await client.send(JSONAPIRequest(path: "/articles/1"))
        #expect(response.url == "https://api.example.com/articles/1")
        let direct = try await client.execute(
            JSONAPIRequest(path: "articles", query: JSONAPIQuery([HTTPQueryItem("a", "b")])))
        #expect(direct.url == "https://api.example.com/articles?a=b")
    }
}

@Suite("Routers", .inTurn)
struct RouterTests {
    @Test func pathsArePercentEncoded() {
        let router = ScrudRouter()
        #expect(router.search(type: "articles") == "articles")
        #expect(router.create(type: "a b") == "a%20b")
        #expect(router.read(type: "articles", id: "1/2?") == "articles/1%2F2%3F")
        #expect(router.update(type: "articles", id: "1") == "articles/1")
        #expect(router.delete(type: "articles", id: "ü") == "articles/%C3%BC")
        #expect(router.relationship(type: "articles", id: "1", name: "author") == "articles/1/relationships/author")
        #expect(router.related(type: "articles", id: "1", name: "a/b") == "articles/1/a%2Fb")
    }

    @Test(arguments: ["", ".", ".."])
    func idsThatAreNoSegmentsAreRefused(_ id: String) async throws {
        let api = try MockAPI()
        let request = JSONAPIRequest(path: ScrudRouter().read(type: "articles", id: id))
        let error = try await failure { () async throws(JSONAPIError) in try await api.client.send(request) }
        #expect(error.code == .request)
        #expect(api.calls.isEmpty)
    }
}
