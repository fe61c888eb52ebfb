// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONRPCHTTP
import Synchronization

/// Encodes batches with a client whose transport keeps nothing but the size of the body.
struct BatchEncoding {
    private let client: JSONRPCHTTPClient
    private let transport = Scales()
    private let entries: [BatchEntry]

    /// - Parameter areCalls: Whether the members are calls, whose failures are then made too; `false` for notifications.
    init(members: Int, areCalls: Bool) throws {
        var configuration = SessionConfiguration()
        configuration.calls.batchLimits = SessionConfiguration.BatchLimits(
            maximumMembers: 1 << 20, maximumBytes: 1 << 30)
        client = JSONRPCHTTPClient(url: "http://127.0.0.1/", over: transport, configuration: configuration)
        let params = try RawJSON(encoding: Order())
        entries = (0..<members).map { _ in
            BatchEntry(method: "echo", params: params, isNotification: !areCalls)
        }
    }

    /// The bytes of the last body.
    var bytes: Int { transport.bytes.withLock { $0 } }

    /// Encodes one batch.
    func run() async { _ = try? await client.batch(entries, timeout: .none) }
}

/// A transport that weighs bodies, and answers 204.
private final class Scales: HTTPTransport {
    let bytes = Mutex(0)

    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        if let length = body?.length { bytes.withLock { $0 = Int(length) } }
        return ReceivedHTTPResponse(HTTPResponse(status: .noContent))
    }
}
