// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct RequestMakingTests {
    @Test func aRequestIsMadeWithoutANetwork() async throws {
        let (head, body) = try await GetRepository(owner: "a/b", name: "c d").makeHTTPRequest()
        #expect(head.method == .get)
        #expect(head.scheme == "https")
        #expect(head.authority == "api.example.com")
        #expect(head.path == "/repos/a%2Fb/c%20d")
        #expect(head.headerFields == [.accept: "application/json"])
        #expect(body == nil)
    }

    @Test func theBodyDeterminesTheContentType() async throws {
        let (head, body) = try await CreateUser().makeHTTPRequest()
        #expect(head.method == .post)
        #expect(head.headerFields == [.contentType: "application/json"])
        guard case .bytes(let bytes)? = body?.content else { throw Planned() }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"name":"ishkawa"}"#)
    }

    @Test func anExplicitFieldWins() async throws {
        var request = Get<[Int]>()
        request.body = DataHTTPBody([1, 2], contentType: "image/png")
        request.headerFields = [.accept: "application/vnd.api+json", .contentType: "image/webp"]
        let head = try await request.makeHTTPRequest().head
        #expect(head.headerFields[values: .accept] == ["application/vnd.api+json"])
        #expect(head.headerFields[values: .contentType] == ["image/webp"])
    }

    @Test func repeatedFieldsAreAllSentInOrder() async throws {
        var request = Get<[Int]>()
        request.headerFields.append(HTTPField(name: .acceptLanguage, value: "ja"))
        request.headerFields.append(HTTPField(name: .acceptLanguage, value: "en"))
        let head = try await request.makeHTTPRequest().head
        #expect(head.headerFields[values: .acceptLanguage] == ["ja", "en"])
    }

    @Test func fieldsOfTheSessionAreDefaults() async throws {
        let transport = MockHTTPTransport(reply: .json("[]"))
        var configuration = HTTPSessionConfiguration()
        configuration.headerFields = [.userAgent: "tests", .acceptLanguage: "ja"]
        let session = HTTPSession(transport: transport, configuration: configuration)
        var request = Get<[Int]>()
        request.headerFields = [.acceptLanguage: "en"]
        _ = try await session.send(request)
        let fields = try #require(transport.requests.first).head.headerFields
        #expect(fields == [.userAgent: "tests", .acceptLanguage: "en", .accept: "application/json"])
    }

    @Test func anAbsentBodyIsNotSent() async throws {
        let request = Get<[Int]>()
        #expect(request.body == nil)
        let (head, body) = try await request.makeHTTPRequest()
        #expect(body == nil)
        #expect(!head.headerFields.contains(.contentType))
    }

    @Test func theTypeOfTheResponseDeterminesAccept() async throws {
        func accept(_ request: some HTTPAPIRequest) async throws -> String? {
            try await request.makeHTTPRequest().head.headerFields[.accept]
        }
        #expect(try await accept(Get<Repository>()) == "application/json")
        #expect(try await accept(Get<Repository?>()) == "application/json")
        #expect(try await accept(Get<Int>()) == "application/json")
        #expect(try await accept(Get<[UInt8]>()) == nil)
        #expect(try await accept(Get<Data>()) == nil)
        #expect(try await accept(Get<String>()) == nil)
        #expect(try await accept(Get<String?>()) == nil)
        #expect(try await accept(Download()) == nil)
        #expect(try await accept(CreateUser()) == nil)
        #expect(try await accept(Get<Repository>(decoder: PlainTextDecoder())) == "text/x-repository")
    }

    @Test func interceptCanReplaceTheWholeHead() async throws {
        let head = try await Replaced().makeHTTPRequest().head
        #expect(head == HTTPRequest(method: .head, scheme: "http", authority: "other.example", path: "/x"))
    }

    @Test func methodsAreIdempotentAsTheStandardSays() {
        let methods: [HTTPRequest.Method] = [.get, .head, .options, .trace, .put, .delete, .post, .patch, .connect]
        #expect(
            methods.map { Get<Int>(method: $0).isIdempotent }
                == methods.map { ![.post, .patch, .connect].contains($0) })
    }
}

private struct Replaced: HTTPAPIRequest {
    typealias Response = Void
    var baseURL: URL { exampleAPI }
    var path: String { "" }

    func intercept(_ request: inout HTTPRequest) async throws {
        request = HTTPRequest(method: .head, scheme: "http", authority: "other.example", path: "/x")
    }
}

/// Reads `NAME STARS`.
struct PlainTextDecoder: HTTPResponseDecoder {
    var mediaType: String { "text/x-repository" }

    func decode<Value: Decodable>(_ type: Value.Type, fromBody bytes: [UInt8]) throws -> Value {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        let json = #"{"name":"\#(words.first ?? "")","stars":\#(words.last ?? "0")}"#
        return try WireJSONDecoder().decode(type, from: Array(json.utf8))
    }
}
