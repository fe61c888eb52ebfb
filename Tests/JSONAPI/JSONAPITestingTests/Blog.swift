// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONAPI
import JSONAPITesting
import Testing
import WireJSON

/// A response of the mock server.
struct Reply {
    let status: Int
    let fields: HTTPFields
    let document: RawDocument?

    /// The ids of the primary data.
    var ids: [String?] { document?.data?.resources.map(\.id) ?? [] }

    /// The type and the id of each included resource.
    var included: [String]? { document?.included?.map { "\($0.type)/\($0.id ?? "")" } }

    /// The source of the first error.
    var source: JSONAPIErrorObject.Source? { document?.errors?.first?.source }
}

extension MockJSONAPIServer {
    /// A server with two people, three articles and two comments.
    static func blog(_ change: (inout MockJSONAPIServerOptions) -> Void = { _ in }) -> MockJSONAPIServer {
        var options = MockJSONAPIServerOptions()
        change(&options)
        func identifier(_ type: String, _ id: String) -> ResourceIdentifierObject { .init(type: type, id: id) }
        func article(_ id: String, _ title: String, _ words: Int64, author: String?, comments: [String])
            -> ResourceObject
        {
            ResourceObject(
                type: "articles", id: id, attributes: ["title": .string(title), "words": .number(.init(words))],
                relationships: [
                    "author": RelationshipObject(data: .toOne(author.map { identifier("people", $0) })),
                    "comments": RelationshipObject(data: .toMany(comments.map { identifier("comments", $0) })),
                ])
        }
        func comment(_ id: String, _ text: String, author: String) -> ResourceObject {
            ResourceObject(
                type: "comments", id: id, attributes: ["text": .string(text)],
                relationships: ["author": RelationshipObject(data: .toOne(identifier("people", author)))])
        }
        return MockJSONAPIServer(
            resources: [
                ResourceObject(type: "people", id: "1", attributes: ["name": "Dan", "email": nil]),
                ResourceObject(type: "people", id: "2", attributes: ["name": "Yehuda", "email": "y@example.com"]),
                article("1", "First", 300, author: "1", comments: ["1", "2"]),
                article("2", "Second", 100, author: "2", comments: []),
                article("3", "Third", 200, author: nil, comments: []),
                comment("1", "Yes", author: "2"), comment("2", "No", author: "1"),
            ], options: options)
    }

    /// Sends a request, and checks that the document of the response conforms.
    func exchange(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
        contentType: String = JSONAPIMediaType.name,
        accept: String? = JSONAPIMediaType.name, fields: HTTPFields = [:]
    ) async throws -> Reply {
        var fields = fields
        if let accept { fields[.accept] = accept }
        if body != nil { fields[.contentType] = contentType }
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "example.com", path: path, headerFields: fields)
        let entity = body.map { HTTPBodyEntity(contentType: contentType, content: .bytes(Array($0.utf8))) }
        let response = try await send(request, body: entity, context: HTTPRequestContext())
        let (head, bytes) = (response.head, try await response.body.collect(upTo: 1 << 20))
        guard !bytes.isEmpty else { return Reply(status: head.status.code, fields: head.headerFields, document: nil) }
        var linter = DocumentLinter()
        linter.allowsPartialLinkage = path.contains("fields")
        linter.extensionNamespaces = ["atomic"]
        let findings = try linter.findings(in: bytes)
        #expect(findings == [], "\(method) \(path)")
        #expect(JSONAPIMediaType(contentType: head.headerFields[.contentType] ?? "") != nil)
        return Reply(
            status: head.status.code, fields: head.headerFields, document: try RawDocument(parsing: bytes))
    }

    /// Performs atomic operations.
    func perform(_ operations: String) async throws -> Reply {
        let atomic = JSONAPIMediaType(extensions: ["https://jsonapi.org/ext/atomic"]).description
        return try await exchange(
            .post, "/operations", #"{"atomic:operations":[\#(operations)]}"#, contentType: atomic, accept: atomic)
    }
}
