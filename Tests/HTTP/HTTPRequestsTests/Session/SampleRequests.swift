// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPTypes
import WireJSON

/// The base URL of the samples.
let exampleAPI = URL(filePath: "/").exampleAPI

extension URL {
    fileprivate var exampleAPI: URL { URL(string: "https://api.example.com") ?? self }
}

struct Repository: Decodable, Sendable, Equatable {
    var name: String
    var stars: Int
}

struct GetRepository: HTTPAPIRequest {
    typealias Response = Repository
    let owner: String, name: String
    var baseURL: URL { exampleAPI }
    var path: String { "/repos/\(segment: owner)/\(segment: name)" }
}

struct ServiceError: Decodable, Sendable, Equatable {
    var code: String
}

struct CreateUser: HTTPAPIRequest {
    typealias Response = Void
    typealias Failure = ServiceError
    var method: HTTPRequest.Method { .post }
    var baseURL: URL { exampleAPI }
    var path: String { "/users" }
    var body: JSONHTTPBody { ["name": "ishkawa"] }
}

/// A request whose members are given.
struct Get<Response: Decodable & Sendable>: HTTPAPIRequest {
    var path = "/"
    var method = HTTPRequest.Method.get
    var headerFields = HTTPFields()
    var queryItems: [HTTPQueryItem] = []
    var body: DataHTTPBody?
    var timeouts: HTTPTimeouts?
    var maximumResponseBytes: Int?
    var decoder: (any HTTPResponseDecoder)?
    var interceptors: [any HTTPInterceptor] = []
    var baseURL: URL { exampleAPI }
}

struct Download: HTTPAPIRequest {
    typealias Response = HTTPByteStream
    var timeouts: HTTPTimeouts?
    var baseURL: URL { exampleAPI }
    var path: String { "/file" }
}

/// A failure of a test.
struct Planned: Error, Equatable {
    var name = "planned"
}
