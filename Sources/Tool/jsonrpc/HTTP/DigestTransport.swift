// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import Synchronization
import WebSocket

/// Answers Digest challenges (RFC 7616): a request that the server refuses with one is sent once more, with
/// credentials. Later requests answer the same challenge at once, until the server sends another one.
final class DigestTransport: HTTPTransport {
    private struct State {
        var challenge: DigestChallenge
        /// The number of requests that have answered the challenge.
        var count: UInt32
    }

    private let transport: any HTTPTransport
    private let credentials: BasicCredentials
    private let state = Mutex<State?>(nil)

    init(_ transport: any HTTPTransport, _ credentials: BasicCredentials) {
        self.transport = transport
        self.credentials = credentials
    }

    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        var request = request
        if let (challenge, count) = nextAnswer() {
            request.headerFields[.authorization] = answer(challenge, request, count: count)
        }
        let response = try await transport.send(request, body: body, context: context)
        guard response.head.status == .unauthorized, body?.isReplayable ?? true,
            let challenge = DigestChallenge(response.head.headerFields),
            let value = answer(challenge, request, count: 1)
        else { return response }
        // A server can have a challenge for each connection, so concurrent requests answer their own.
        state.withLock { $0 = State(challenge: challenge, count: 1) }
        // The connection can be used again when the body has been read.
        _ = try? await response.body.collect(upTo: 64 << 10)
        request.headerFields[.authorization] = value
        return try await transport.send(request, body: body, context: context)
    }

    /// Returns the latest challenge, and the number of requests that have answered it with the next one; `nil` if there
    /// is no challenge.
    private func nextAnswer() -> (DigestChallenge, UInt32)? {
        state.withLock { state in
            guard let known = state, known.count < .max else { return nil }
            state?.count = known.count + 1
            return (known.challenge, known.count + 1)
        }
    }

    private func answer(_ challenge: DigestChallenge, _ request: HTTPRequest, count: UInt32) -> String? {
        challenge.answer(
            credentials, method: request.method.rawValue, target: request.path ?? "/", count: count,
            clientNonce: DigestChallenge.newClientNonce())
    }
}
