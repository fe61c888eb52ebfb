// swift-jsonrpc · SPDX-License-Identifier: MIT

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Synchronization
import WireJSON

/// The same exchanges with async-http-client alone, as a program would write them: with a time limit, a limit for the
/// body, a check of the status, and the same coder.
struct RawExchanges: Sendable {
    private let client: HTTPClient
    private let url: String
    private let numbers = Counter()

    /// - Parameter isTraced: Whether the library makes a span for each request, as it does by default, even if no tracer
    ///   is installed.
    init(url: String, isTraced: Bool = true) throws {
        self.url = url
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.decompression = .enabled(limit: .ratio(500))
        if !isTraced { configuration.tracing.tracer = nil }
        client = HTTPClient(configuration: configuration)
    }

    var get: Way {
        Way {
            var request = HTTPClientRequest(url: url + "/repos/swift/nio")
            request.headers.add(name: "Accept", value: "application/json")
            let repository = try await send(request, as: Repository.self)
            guard repository.id == 3_141_592 else { throw WrongAnswer() }
        }
    }

    var post: Way {
        Way {
            let order = try await post("/echo", Order(), as: Order.self)
            guard order == Order() else { throw WrongAnswer() }
        }
    }

    var call: Way {
        Way {
            let id = numbers.next()
            let response = try await post("/rpc", HandMadeRequest(id: id), as: HandMadeResponse.self)
            guard response.id == id, response.result == Order() else { throw WrongAnswer() }
        }
    }

    private func post<Answer: Decodable>(
        _ path: String, _ body: some Encodable, as type: Answer.Type
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try encoder.encode(body)))
        return try await send(request, as: type)
    }

    private func send<Answer: Decodable>(_ request: HTTPClientRequest, as type: Answer.Type) async throws -> Answer {
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw WrongAnswer() }
        let body = try await response.body.collect(upTo: 10 << 20)
        return try WireJSONDecoder().decode(type, from: [UInt8](buffer: body))
    }
}

/// Counts from 1.
final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
