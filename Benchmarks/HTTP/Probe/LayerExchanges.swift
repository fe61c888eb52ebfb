// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPTypes
import JSONRPCHTTP
import WireJSON

struct GetRepository: HTTPAPIRequest {
    typealias Response = Repository
    let baseURL: URL
    let owner: String
    let name: String
    var path: String { "/repos/\(segment: owner)/\(segment: name)" }
}

struct SendOrder: HTTPAPIRequest {
    typealias Response = Order
    let baseURL: URL
    let order: Order
    var path: String { "/echo" }
    var method: HTTPRequest.Method { .post }
    var body: EncodableHTTPBody<Order> { EncodableHTTPBody(order) }
}

extension Way {
    /// The document over a session: `HTTPSession.send` of a typed `GET`.
    static func typedGet(_ url: String, _ transport: some HTTPTransport) throws -> Way {
        let session = HTTPSession(transport: transport)
        let baseURL = try address(url)
        return Way {
            let repository = try await session.send(GetRepository(baseURL: baseURL, owner: "swift", name: "nio"))
            guard repository.id == 3_141_592 else { throw WrongAnswer() }
        }
    }

    /// `HTTPSession.send` of a JSON `POST`.
    static func typedPost(_ url: String, _ transport: some HTTPTransport) throws -> Way {
        let session = HTTPSession(transport: transport)
        let baseURL = try address(url)
        return Way {
            let order = try await session.send(SendOrder(baseURL: baseURL, order: Order()))
            guard order == Order() else { throw WrongAnswer() }
        }
    }

    /// The transport alone, below `HTTPSession`.
    static func transportGet(_ url: String, _ transport: some HTTPTransport) throws -> Way {
        let authority = String(url.dropFirst("http://".count))
        return Way {
            var request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/repos/swift/nio")
            request.headerFields[.accept] = "application/json"
            let body = try await transport.send(request, body: nil, context: HTTPRequestContext()).body
            let bytes = try await body.collect(upTo: 10 << 20)
            let repository = try WireJSONDecoder().decode(Repository.self, from: bytes)
            guard repository.id == 3_141_592 else { throw WrongAnswer() }
        }
    }

    /// `JSONRPCHTTPClient.call`.
    static func call(_ url: String, _ transport: some HTTPTransport, _ gathering: CallGathering? = nil) -> Way {
        var options = JSONRPCHTTPOptions()
        options.gathering = gathering
        let client = JSONRPCHTTPClient(url: url + "/rpc", over: transport, options: options)
        return Way {
            let order: Order = try await client.call("echo", params: Order())
            guard order == Order() else { throw WrongAnswer() }
        }
    }

    private static func address(_ url: String) throws -> URL {
        guard let url = URL(string: url) else { throw WrongAnswer() }
        return url
    }
}
