// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@Suite(.inTurn) struct RequestDeclarationTests {
    /// Members that would not be used, and the beginning of the compiler's message.
    private static let refused: [(member: String, message: String)] = [
        (#"var method: String { "POST" }"#, "'method' would not be used"),
        (#"var queryItems: [String: String] { [:] }"#, "'queryItems' would not be sent"),
        (#"var queryItems: [HTTPQueryItem]? { nil }"#, "'queryItems' would not be sent"),
        (#"var headerFields: [String: String] { [:] }"#, "'headerFields' would not be sent"),
        (#"var body: [String: Int] { [:] }"#, "'body' would not be sent"),
        (#"var body: JSONHTTPBody { get throws { [:] } }"#, "'body' would not be sent"),
        (#"var isIdempotent: Bool? { true }"#, "'isIdempotent' would not be used"),
        (#"var timeouts: HTTPTimeouts { HTTPTimeouts() }"#, "'timeouts' would not be used"),
        (#"var maximumResponseBytes: Int { 1 }"#, "'maximumResponseBytes' would not be used"),
        (#"var decoder: WireJSONDecoder { WireJSONDecoder() }"#, "'decoder' would not be used"),
        (#"var interceptors: [RetryInterceptor] { [] }"#, "'interceptors' would not be used"),
        (#"func validate(_ head: HTTPResponse) -> Bool { true }"#, "'validate(_:)' would not be called"),
        (#"func validate(_ head: HTTPResponse) async throws -> Bool { true }"#, "'validate(_:)' would not be called"),
        (#"var parameters: Any? { nil }"#, "APIKit's 'parameters' would not be sent"),
        (#"var queryParameters: [String: Any]? { nil }"#, "APIKit's 'queryParameters' would not be sent"),
        (
            #"func intercept(urlRequest: URLRequest) throws -> URLRequest { urlRequest }"#,
            "APIKit's 'intercept(urlRequest:)' would not be called"
        ),
        (#"var bodyParameters: BodyParameters? { nil }"#, "APIKit's 'bodyParameters' would not be sent"),
        (#"var bodyParameters: JSONHTTPBody { [1] }"#, "APIKit's 'bodyParameters' would not be sent"),
        (#"let dataParser = DataParser()"#, "APIKit's 'dataParser' would not be used"),
        (
            #"func intercept(object: Any, urlResponse: HTTPURLResponse) throws -> Any { object }"#,
            "APIKit's 'intercept(object:urlResponse:)' would not be called"
        ),
        (
            #"func response(from object: Any, urlResponse: HTTPURLResponse) throws -> Int { 1 }"#,
            "APIKit's 'response(from:urlResponse:)' would not be called"
        ),
    ]

    private static let accepted = [
        "var method: HTTPRequest.Method { .post }", "let method = HTTPRequest.Method.post",
        #"var queryItems: [HTTPQueryItem] { [.init("a", 1)] }"#, #"let headerFields: HTTPFields = [.accept: "*/*"]"#,
        "var body: JSONHTTPBody { [1, 2] }", "var body: JSONHTTPBody? { nil }", "var body: NoHTTPBody { NoHTTPBody() }",
        "var isIdempotent: Bool { true }", "var timeouts: HTTPTimeouts? { HTTPTimeouts() }",
        "let maximumResponseBytes: Int? = 5", "var decoder: (any HTTPResponseDecoder)? { .wireJSON }",
        "var interceptors: [any HTTPInterceptor] { [RetryInterceptor()] }",
        "func validate(_ head: HTTPResponse) throws {}", "func validate(_ head: HTTPResponse) async throws {}",
        "func validate(_ head: HTTPResponse) {}",
        #"func intercept(_ request: inout HTTPRequest) throws { request.path = "/" }"#,
        "func response(from content: HTTPResponseContent) async throws -> Int { 1 }",
        "func response(from content: HTTPResponseContent) -> Response { 1 }",
        "let parameters: [Int] = []", "var queryParameters: [String: String] { [:] }",
    ]

    private static func file(_ members: [String]) -> String {
        let types = members.enumerated().map { index, member in
            """
            struct Request\(index): HTTPAPIRequest { typealias Response = Int; let baseURL: URL; var path: String { "" }
            \(member)
            }
            """
        }
        return """
            import Foundation
            import HTTPRequests
            import HTTPTypes
            import WireJSON
            struct URLRequest {}
            struct HTTPURLResponse {}
            protocol BodyParameters {}
            struct DataParser {}

            """ + types.joined(separator: "\n")
    }

    @Test func membersThatWouldNotBeUsedAreRefused() async throws {
        let complaints = try await compilerComplaints(about: ["Requests.swift": Self.file(Self.refused.map(\.member))])
        for (index, expected) in Self.refused.enumerated() {
            // Eight lines come before the types, which have three lines each.
            let lines = (9 + 3 * index)...(11 + 3 * index)
            let found = complaints.filter { $0.isError && lines.contains($0.line) }.map(\.message)
            // The first error names the protocol that the programmer knows; the second one says what to write.
            #expect(found.first == "type 'Request\(index)' does not conform to protocol 'HTTPAPIRequest'")
            #expect(found.dropFirst().first?.contains(expected.message) == true, "\(expected.member): \(found)")
            #expect(!found.contains { $0.contains("'_HTTPRequestMembers'") }, "\(expected.member): \(found)")
        }
    }

    @Test func aMemberOfAResponseThatWouldNotBeUsedIsRefused() async throws {
        let source = """
            import Foundation
            import HTTPRequests
            import HTTPTypes
            import WireJSON
            struct GetAny<Response: JSONResponse>: HTTPAPIRequest { let baseURL: URL; var path: String { "" } }
            struct GetText: HTTPAPIRequest {
                let baseURL: URL
                var path: String { "" }
                func response(from content: HTTPResponseContent) async throws -> String { "" }
            }
            struct Names: JSONResponse {
                static var readingOptions: [Int] { [] }
                static var limits: JSONLimits { JSONLimits() }
                init(json: JSONValue, urlResponse: HTTPResponse) throws {}
            }
            struct Numbers: JSONResponse {
                static var limits: JSONLimits { JSONLimits() }
                init(json: JSONValue, urlResponse: HTTPResponse) throws {}
            }
            """
        let complaints = try await compilerComplaints(about: ["Responses.swift": source]).filter(\.isError)
        #expect(Set(complaints.map(\.line)) == [11])
        #expect(complaints.contains { $0.message.contains("'readingOptions' would not be used") })
    }

    @Test func membersOfSuitableTypesAreAccepted() async throws {
        let complaints = try await compilerComplaints(about: ["Requests.swift": Self.file(Self.accepted)])
        #expect(complaints.isEmpty, "\(complaints)")
    }
}
