// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import Testing

/// A client whose server answers as a test specifies.
struct MockAPI {
    let transport = MockHTTPTransport()
    let client: JSONAPIClient

    init(
        options: JSONAPIClient.Options = JSONAPIClient.Options(),
        configuration: HTTPSessionConfiguration = HTTPSessionConfiguration()
    ) throws {
        let baseURL = try #require(URL(string: "https://api.example.com/v1"))
        client = JSONAPIClient(
            session: HTTPSession(transport: transport, configuration: configuration), baseURL: baseURL,
            options: options)
    }

    func answer(_ document: String, status: Int = 200, fields: HTTPFields = [:]) {
        var fields = fields
        fields[.contentType] = fields[.contentType] ?? JSONAPIMediaType.name
        transport.expect(reply: .text(document, status: status, fields: fields))
    }

    func answer(status: Int, fields: HTTPFields = [:]) {
        transport.expect(reply: .status(status, fields: fields))
    }

    /// The methods and the paths of the requests.
    var calls: [String] { transport.requests.map { "\($0.head.method) \($0.head.path ?? "")" } }
    /// The bodies of the requests.
    var bodies: [String?] { transport.requests.map(\.text) }
}

/// Returns the error of an operation that must fail.
func failure<Value>(
    of operation: () async throws(JSONAPIError) -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> JSONAPIError {
    do {
        _ = try await operation()
    } catch {
        return error
    }
    return try #require(nil as JSONAPIError?, "no error", sourceLocation: sourceLocation)
}
