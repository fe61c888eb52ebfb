// swift-jsonrpc · SPDX-License-Identifier: MIT

// The program of the article "Calling an HTTP API".
import AsyncHTTPClientTransport
import Foundation
import HTTPRequests

struct Repository: Decodable, Sendable {
    var name: String
    var stargazers_count: Int
}

struct Problem: Decodable, Sendable {
    var message: String
}

struct GetRepository: HTTPAPIRequest {
    typealias Response = Repository
    typealias Failure = Problem
    var baseURL: URL
    var owner: String, name: String
    var path: String { "/repos/\(segment: owner)/\(segment: name)" }
}

guard let api = URL(string: CommandLine.arguments.dropFirst().first ?? "https://api.github.com") else {
    fatalError("The first argument is not a URL.")
}
let transport = AsyncHTTPClientTransport()
var configuration = HTTPSessionConfiguration()
configuration.headerFields[.userAgent] = "hello/1.0"  // GitHub refuses requests without it.
let session = HTTPSession(transport: transport, interceptors: [RetryInterceptor()], configuration: configuration)

let swift = try await session.send(GetRepository(baseURL: api, owner: "swiftlang", name: "swift"))
print(swift.name, "has", swift.stargazers_count, "stars")

do {
    _ = try await session.send(GetRepository(baseURL: api, owner: "swiftlang", name: "no such thing"))
} catch .status(let failure) {
    print(failure.status.code, failure.failure?.message ?? "no message")
} catch {
    print(error)
}

await transport.shutDown()
