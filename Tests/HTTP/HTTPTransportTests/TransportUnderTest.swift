// swift-jsonrpc · SPDX-License-Identifier: MIT

import AsyncHTTPClientTransport
import HTTPRequests
import HTTPTypes
import Testing
import URLSessionTransport

/// The transports on which the suite runs.
enum TransportUnderTest: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case asyncHTTPClient
    case urlSession

    var testDescription: String { rawValue }

    /// Runs `body` with a transport of its own, which is shut down afterwards.
    func run<Result>(
        _ configure: (inout AsyncHTTPClientTransport.Configuration) -> Void = { _ in },
        _ body: (any HTTPTransport) async throws -> sending Result
    ) async throws -> sending Result {
        switch self {
        case .asyncHTTPClient:
            var configuration = AsyncHTTPClientTransport.Configuration()
            configure(&configuration)
            let transport = AsyncHTTPClientTransport(configuration: configuration)
            do {
                let result = try await body(transport)
                await transport.shutDown()
                return result
            } catch {
                await transport.shutDown()
                throw error
            }
        case .urlSession:
            let transport = URLSessionTransport()
            do {
                let result = try await body(transport)
                await transport.shutDown()
                return result
            } catch {
                await transport.shutDown()
                throw error
            }
        }
    }
}

/// The outcome of an exchange.
enum Outcome: Equatable, Sendable, CustomStringConvertible {
    /// A complete response.
    case response(Int, String)
    /// A failure before the head of the response.
    case failure(HTTPTransportError.Code)
    /// A failure after the head, while the body was read.
    case bodyFailure(Int, HTTPTransportError.Code)

    var description: String {
        switch self {
        case .response(let status, let body): ".response(\(status), \"\(body.prefix(80))\")"
        case .failure(let code): ".failure(.\(code))"
        case .bodyFailure(let status, let code): ".bodyFailure(\(status), .\(code))"
        }
    }
}

extension HTTPTransport {
    /// Sends a request and reads the response to its end.
    func outcome(_ request: HTTPRequest, body: HTTPBodyEntity? = nil) async throws -> Outcome {
        let response: ReceivedHTTPResponse
        do {
            response = try await send(request, body: body, context: HTTPRequestContext())
        } catch let error as HTTPTransportError {
            return .failure(error.code)
        }
        do {
            let bytes = try await response.body.collect(upTo: 64 << 20)
            return .response(response.head.status.code, String(decoding: bytes, as: UTF8.self))
        } catch let error as HTTPTransportError {
            return .bodyFailure(response.head.status.code, error.code)
        }
    }

    /// Sends a request that succeeds, and returns its response.
    func exchange(
        _ request: HTTPRequest, body: HTTPBodyEntity? = nil, context: HTTPRequestContext = HTTPRequestContext()
    ) async throws -> (head: HTTPResponse, body: String) {
        let response = try await send(request, body: body, context: context)
        return (response.head, String(decoding: try await response.body.collect(upTo: 64 << 20), as: UTF8.self))
    }
}

extension HTTPTransport {
    /// Sends a request, and expects the body of its response.
    func expectBody(
        _ expected: String, _ request: HTTPRequest, context: HTTPRequestContext = HTTPRequestContext(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let body = try await exchange(request, context: context).body
        #expect(body == expected, sourceLocation: sourceLocation)
    }
}

extension HTTPRequest {
    /// A request to a server of a test.
    static func to(_ authority: String, _ path: String = "/", _ method: Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
    }
}
