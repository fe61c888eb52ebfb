// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import JSONAPI
import Newsroom
import TestSupport
import Testing
import URLSessionTransport

// The module `Testing` has types with these names, too.
typealias Comment = Newsroom.Comment
typealias Tag = Newsroom.Tag

extension DjangoServer {
    /// Runs a server with a client.
    static func withClient(_ body: (JSONAPIClient) async throws -> Void) async throws {
        try await run { server in try await JSONAPIClient.use(server.url, JSONAPIClient.Options(), body) }
    }
}

extension OperationsServer {
    /// Runs a server with a client that accepts the media type of this server, `application/json`.
    static func withClient(
        options: JSONAPIClient.Options? = nil, _ body: (JSONAPIClient) async throws -> Void
    ) async throws {
        var lenient = JSONAPIClient.Options()
        lenient.response.acceptsOtherMediaTypes = true
        try await run { server in try await JSONAPIClient.use(server.url, options ?? lenient, body) }
    }

    /// The paths of this server end with slashes.
    static let strategy = RoutingStrategy.router(SlashRouter())

    private struct SlashRouter: ResourceRouter {
        private let router = ScrudRouter()

        func search(type: String) -> String { router.search(type: type) + "/" }
        func create(type: String) -> String { router.create(type: type) + "/" }
        func read(type: String, id: String) -> String { router.read(type: type, id: id) + "/" }
        func update(type: String, id: String) -> String { router.update(type: type, id: id) + "/" }
        func delete(type: String, id: String) -> String { router.delete(type: type, id: id) + "/" }
    }
}

extension JSONAPIClient {
    fileprivate static func use(
        _ url: String, _ options: JSONAPIClient.Options, _ body: (JSONAPIClient) async throws -> Void
    ) async throws {
        let transport = URLSessionTransport()
        let baseURL = try #require(URL(string: url))
        let client = JSONAPIClient(session: HTTPSession(transport: transport), baseURL: baseURL, options: options)
        do {
            try await body(client)
        } catch {
            await transport.shutDown()
            throw error
        }
        await transport.shutDown()
    }
}
