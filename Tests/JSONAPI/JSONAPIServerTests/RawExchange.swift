// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPTypes
import JSONAPI
import Testing
import URLSessionTransport

/// A response of a real server, with its document unchanged.
struct RawExchange {
    let status: Int
    let fields: HTTPFields
    let body: [UInt8]

    /// Sends a request. A body is sent as JSON:API with the extensions.
    init(
        _ method: HTTPRequest.Method, _ url: String, body: String? = nil,
        contentType: JSONAPIMediaType = JSONAPIMediaType(),
        accept: String = JSONAPIMediaType.name
    ) async throws {
        let transport = URLSessionTransport()
        var request = try RequestURL.makeRequest(
            method: method, baseURL: try #require(URL(string: url)), path: "", headerFields: [.accept: accept])
        let entity = body.map {
            HTTPBodyEntity(contentType: contentType.description, content: .bytes(Array($0.utf8)))
        }
        if entity != nil { request.headerFields[.contentType] = contentType.description }
        let response = try await transport.send(request, body: entity, context: HTTPRequestContext())
        status = response.head.status.code
        fields = response.head.headerFields
        self.body = try await response.body.collect(upTo: 1 << 20)
        await transport.shutDown()
    }

    var document: RawDocument { get throws { try RawDocument(parsing: body) } }

    /// The violations of JSON:API in the document.
    func findings(_ change: (inout DocumentLinter) -> Void = { _ in }) throws -> [String] {
        var linter = DocumentLinter()
        change(&linter)
        return try linter.findings(in: body).map { "\($0.pointer) \($0.rule)" }
    }
}
