// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the articles about JSON-RPC over HTTP, about HTTP APIs and about JSON:API.
import AsyncHTTPClientTransport
import Foundation
import HTTPRequests
import HTTPTypes
import JSONAPI
import JSONRPCHTTP
import URLSessionTransport

func configuredTransport() -> AsyncHTTPClientTransport {
    var configuration = AsyncHTTPClientTransport.Configuration()
    configuration.tls.trust = .only(file: "authority.pem")
    configuration.tls.identity = AsyncHTTPClientTransport.TLS.Identity(
        certificateChainFile: "client.pem", privateKeyFile: "client.key")
    let transport = AsyncHTTPClientTransport(configuration: configuration)
    return transport
}

func transportWithMoreOptions() -> AsyncHTTPClientTransport {
    var configuration = AsyncHTTPClientTransport.Configuration()
    configuration.connectionsPerHost = 32
    configuration.idleConnectionTimeout = .seconds(30)
    configuration.proxy = .http(host: "proxy.example", port: 3128)
    let transport = AsyncHTTPClientTransport(configuration: configuration)
    return transport
}

func transportOfURLSession(sending request: CreateIssue) async throws -> Int {
    let transport = URLSessionTransport()
    let session = HTTPSession(transport: transport)
    let issue = try await session.send(request)
    await transport.shutDown()
    return issue.number
}

func transportOfAsyncHTTPClient(sending request: CreateIssue) async throws -> Int {
    let transport = AsyncHTTPClientTransport()
    let session = HTTPSession(transport: transport)
    let issue = try await session.send(request)
    await transport.shutDown()
    return issue.number
}

// MARK: JSON-RPC

func callWithToken(_ token: String, url: String, transport: AsyncHTTPClientTransport) -> JSONRPCHTTPClient {
    var options = JSONRPCHTTPOptions()
    options.headerFields = [.authorization: "Bearer \(token)"]
    let rpc = JSONRPCHTTPClient(url: url, over: transport, options: options)
    return rpc
}

func manyCalls(_ rpc: JSONRPCHTTPClient) async throws -> Int {
    let requests = (0..<100_000).map { MethodCall("subtract", params: [$0, 1], as: Int.self) }
    var total = 0
    for try await (_, result) in rpc.results(of: requests, inFlight: 64) { total += try result.get() }
    return total
}

// MARK: An HTTP API

struct Issue: Decodable, Sendable {
    var number: Int
}

struct Problem: Decodable, Sendable {
    var message: String
}

struct CreateIssue: HTTPAPIRequest {
    typealias Response = Issue
    typealias Failure = Problem
    var baseURL: URL
    var title: String
    var method: HTTPRequest.Method { .post }
    var path: String { "/repos/example/project/issues" }
    var body: JSONHTTPBody { ["title": .string(title), "labels": ["bug"]] }
}

func sessionWithToken(_ token: String, transport: AsyncHTTPClientTransport) -> HTTPSession {
    var configuration = HTTPSessionConfiguration()
    configuration.headerFields[.authorization] = "Bearer \(token)"
    let session = HTTPSession(transport: transport, configuration: configuration)
    return session
}

func orderedInterceptors(_ authorization: AuthorizationInterceptor) -> [any HTTPInterceptor] {
    let interceptors: [any HTTPInterceptor] = [
        RetryInterceptor(), authorization, ConcurrencyLimitInterceptor(limit: 8),
    ]
    return interceptors
}

// MARK: JSON:API

func jsonAPIClient(_ token: String, transport: AsyncHTTPClientTransport, baseURL: URL) -> JSONAPIClient {
    var configuration = HTTPSessionConfiguration()
    configuration.headerFields[.authorization] = "Bearer \(token)"
    configuration.timeouts.total = .seconds(30)
    let session = HTTPSession(
        transport: transport, interceptors: [RetryInterceptor()], configuration: configuration)
    let client = JSONAPIClient(session: session, baseURL: baseURL)
    return client
}

func lenientClient(_ session: HTTPSession, baseURL: URL) -> JSONAPIClient {
    var options = JSONAPIClient.Options()
    options.response.acceptsOtherMediaTypes = true
    let client = JSONAPIClient(session: session, baseURL: baseURL, options: options)
    return client
}
