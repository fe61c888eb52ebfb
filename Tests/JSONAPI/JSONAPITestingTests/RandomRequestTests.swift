// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestSupport
import TestTurns
import Testing

/// Requests composed of random pieces. Most are malformed.
@Suite(.inTurn)
struct RandomRequestTests {
    private static let types = ["articles", "people", "comments", "", "%2F", "\u{e9}"]
    private static let words = [
        "1", "2", "-1", "title", "author", "comments", "comments.author", "author.articles", ".", "..", ",", "a,b",
        "null",
        "9223372036854775807", "9223372036854775808", "%", "%2", "%FF", "\u{0}", "a]b", "[", "\"",
    ]
    private static let parameters = [
        "include", "sort", "filter", "filter[title]", "filter[author.name]", "filter[]", "fields[articles]", "fields[",
        "fields", "page[number]", "page[size]", "page[offset]", "page[limit]", "page[after]", "page[before]", "page",
        "[", "]",
        "x", "",
    ]
    private static let values = [
        "null", "[]", "{}", "7", #""""#, #"{"type":"articles","id":"1"}"#, #"{"type":"people","id":"1"}"#,
        #"[{"type":"comments","id":"1"}]"#, #"[{"type":"comments","lid":"1"}]"#,
        #"{"type":"articles","lid":"a","relationships":{"author":{"data":{"type":"people","lid":"p"}}}}"#,
        #"{"type":"articles","id":"1","attributes":{"title":null},"relationships":{"comments":{"data":null}}}"#,
        #"{"op":"add","data":{"type":"people","lid":"p"}}"#, #"{"op":"remove","href":"/articles/1"}"#,
        #"{"op":"update","ref":{"type":"articles","id":"1","relationship":"author"},"data":null}"#,
        "\"\\ud800\"", "{", "",
    ]

    @Test(arguments: 0..<8 as Range<UInt64>) func eachGetsADocumentThatConforms(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let pagings: [MockPaging] = [.none, .pageNumber(size: 1), .offset(limit: 2), .cursor(size: 1)]
        let paging = try #require(pagings.randomElement(using: &random))
        let server = MockJSONAPIServer.blog {
            $0.paging = paging
            $0.acceptsClientIDs = true
            $0.refusesViolations = seed.isMultiple(of: 2)
        }
        func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        for _ in 0..<400 {
            var path = "/" + pick(Self.types)
            for _ in 0..<Int.random(in: 0...3, using: &random) { path += "/" + pick(Self.words + ["relationships"]) }
            if random.oneIn(5) { path = "/operations" }
            let query = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                "\(pick(Self.parameters))=\(pick(Self.words))"
            }
            if !query.isEmpty { path += "?" + query.joined(separator: "&") }
            let methods: [HTTPRequest.Method] = [.get, .get, .post, .patch, .delete, .put]
            let method = methods.randomElement(using: &random) ?? .get
            let value = pick(Self.values)
            let body = path == "/operations" ? #"{"atomic:operations":[\#(value)]}"# : #"{"data":\#(value)}"#
            let atomic = JSONAPIMediaType(extensions: ["https://jsonapi.org/ext/atomic"]).description
            let reply = try await server.exchange(
                method, path, method == .get ? nil : body,
                contentType: path == "/operations" ? atomic : JSONAPIMediaType.name)
            #expect([200, 201, 204, 400, 403, 404, 405, 409, 415].contains(reply.status), "\(method) \(path) \(body)")
        }
    }
}
