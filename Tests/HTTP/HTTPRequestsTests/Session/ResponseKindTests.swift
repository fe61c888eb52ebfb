// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ResponseKindTests {
    private static let text = #"{"name":"b","stars":3}"#

    private func send<Request: HTTPAPIRequest>(
        _ request: Request, _ reply: MockHTTPReply
    ) async throws -> Request.Response {
        try await HTTPSession(transport: MockHTTPTransport(reply: reply)).send(request)
    }

    @Test func aDecodableTypeIsDecoded() async throws {
        let transport = MockHTTPTransport()
        transport.expect(.get("/repos/a/b"), reply: .json(Self.text))
        let session = HTTPSession(transport: transport)
        let repository = try await session.send(GetRepository(owner: "a", name: "b"))
        #expect(repository == Repository(name: "b", stars: 3))
        try transport.verify()
    }

    @Test func bytesAndTextAreTheBody() async throws {
        let reply = MockHTTPReply.pieces([Array("[1".utf8), Array(",2]é".utf8)])
        #expect(try await send(Get<[UInt8]>(), reply) == Array("[1,2]é".utf8))
        #expect(try await send(Get<Data>(), reply) == Data("[1,2]é".utf8))
        #expect(try await send(Get<String>(), reply) == "[1,2]é")
        #expect(try await send(Get<String?>(), reply) == "[1,2]é")
        #expect(try await send(Get<[Int]>(), .json("[1,2]")) == [1, 2])
    }

    @Test(
        arguments: [
            ("text/plain; charset=ISO-8859-1", [0xE9], "é"),
            ("text/plain; charset=\"utf-8\"", [0xC3, 0xA9], "é"),
            ("text/plain;CHARSET=US-ASCII", [0x61], "a"),
            ("text/plain", [0xC3, 0xA9], "é"),
            (";;;charset", [0x61], "a"),
        ] as [(String, [UInt8], String)])
    func textIsReadInItsEncoding(_ type: String, _ body: [UInt8], _ text: String) async throws {
        #expect(try await send(Get<String>(), .status(200, fields: [.contentType: type], body: body)) == text)
    }

    @Test(arguments: [204, 205, 200])
    func noContentIsNil(_ status: Int) async throws {
        #expect(try await send(Get<Repository?>(), .status(status)) == nil)
        #expect(try await send(Get<String?>(), .status(status)) == nil)
        #expect(try await send(Get<Data?>(), .status(status)) == nil)
        #expect(try await send(GetNames<Names?>(), .status(status)) == nil)
    }

    @Test func optionalsOfContentHaveValues() async throws {
        #expect(try await send(Get<Repository?>(), .json(Self.text)) == Repository(name: "b", stars: 3))
        #expect(try await send(Get<Repository?>(), .json("null")) == nil)
        #expect(try await send(GetNames<Names?>(), .json(#"["a"]"#))?.names == ["a"])
        #expect(try await send(Get<[UInt8]?>(), .text("ab")) == [0x61, 0x62])
    }

    @Test func emptyContentIsAnErrorForOtherTypes() async throws {
        await #expect(throws: HTTPResponseContentError.empty) {
            do {
                _ = try await send(Get<Repository>(), .status(200))
            } catch let error as HTTPRequestError<[UInt8]> {
                guard case .response(let failure) = error else { throw error }
                #expect(failure.head?.status == .ok)
                throw failure.underlying
            }
        }
    }

    @Test func anEmptyBodyIsNoEmptyArray() async throws {
        await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await send(Get<[Int]>(), .status(200)) }
        #expect(try await send(Get<[UInt8]>(), .status(200)) == [])
        #expect(try await send(Get<String>(), .status(200)) == "")
    }

    @Test func aLengthThatIsNotReachedIsStillTooLarge() async throws {
        let body = HTTPByteStream(ShortSource(), length: 100)
        let content = HTTPResponseContent(
            ReceivedHTTPResponse(HTTPResponse(status: .ok), body: body), maximumBytes: 10)
        await #expect(throws: HTTPByteStreamError.self) { try await content.bytes() }
    }

    @Test func voidIgnoresTheBody() async throws {
        try await send(CreateUser(), .text("<html>"))
        try await send(CreateUser(), .pieces([[1]], end: HTTPTransportError(.connectionLost, "cut")))
    }

    @Test func aStreamIsReadByTheCaller() async throws {
        let feed = HTTPPieceFeed()
        let stream = try await send(Download(), .stream(feed, length: 3))
        #expect(stream.length == 3)
        feed.send([1, 2])
        feed.send([3])
        feed.finish()
        #expect(try await stream.collect(upTo: 3) == [1, 2, 3])
        await #expect(throws: HTTPByteStreamError.self) { try await stream.collect(upTo: 3) }
    }

    @Test func aStreamHasNoSizeLimit() async throws {
        var configuration = HTTPSessionConfiguration()
        configuration.maximumResponseBytes = 1
        let session = HTTPSession(
            transport: MockHTTPTransport(reply: .pieces([[1, 2], [3]])), configuration: configuration)
        #expect(try await session.send(Download()).collect(upTo: 10) == [1, 2, 3])
    }

    @Test func aTypeCanMakeItselfFromDataOrJSON() async throws {
        #expect(try await send(GetNames<Names>(), .json(#"["a","b"]"#)).names == ["a", "b"])
        let both = try await send(GetBoth(), .status(201, body: [1, 2, 3]))
        #expect(both.count == 3 && both.status == 201)
        #expect(try await GetNames<Names>().makeHTTPRequest().head.headerFields[.accept] == "application/json")
        #expect(try await GetBoth().makeHTTPRequest().head.headerFields[.accept] == "x/y")
    }

    @Test func aRequestCanMakeItsOwnResponse() async throws {
        #expect(try await send(CountBytes(), .pieces([[1, 2], [3]])) == 3)
    }

    @Test func otherDecodersAreUsedByChoice() async throws {
        let expected = Repository(name: "b", stars: 7)
        #expect(try await send(Get<Repository>(decoder: PlainTextDecoder()), .text("b 7")) == expected)
        #expect(try await send(Get<Repository>(decoder: JSONDecoder()), .json(#"{"name":"b","stars":7}"#)) == expected)
        var configuration = HTTPSessionConfiguration()
        configuration.decoder = PlainTextDecoder()
        let session = HTTPSession(transport: MockHTTPTransport(reply: .text("b 7")), configuration: configuration)
        #expect(try await session.send(Get<Repository>()) == expected)
    }

    @Test func theHeadComesWithTheValue() async throws {
        let session = HTTPSession(transport: MockHTTPTransport(reply: .json("1", fields: [.eTag: "\"x\""])))
        let (value, head) = try await session.response(for: Get<Int>())
        #expect(value == 1)
        #expect(head.headerFields[.eTag] == "\"x\"")
    }
}

private struct Names: JSONResponse {
    let names: [String]

    init(json: JSONValue, urlResponse: HTTPResponse) throws {
        guard let names = json.arrayValue?.compactMap(\.stringValue) else { throw Planned() }
        self.names = names
    }
}

private struct GetNames<Response: HTTPAPIResponse>: HTTPAPIRequest {
    var baseURL: URL { exampleAPI }
    var path: String { "/names" }
}

/// A response with both conformances. The one to `HTTPAPIResponse` takes precedence.
private struct Both: HTTPAPIResponse, Decodable {
    static var accept: String? { "x/y" }
    var count: Int
    var status: Int

    init(data: Data, urlResponse: HTTPResponse) throws {
        count = data.count
        status = urlResponse.status.code
    }
}

private struct GetBoth: HTTPAPIRequest {
    typealias Response = Both
    var baseURL: URL { exampleAPI }
    var path: String { "/both" }
}

private struct ShortSource: HTTPByteSource {
    func next() async throws -> ArraySlice<UInt8>? { nil }
}

private struct CountBytes: HTTPAPIRequest {
    typealias Response = Int
    var baseURL: URL { exampleAPI }
    var path: String { "/count" }

    func response(from content: HTTPResponseContent) async throws -> Int { try await content.bytes().count }
}
