// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// What the commands ask of a connection. One type of the tool implements it with the library; tests with answers of
/// their own.
protocol PeerSession: Sendable {
    /// Makes a call. The time limit is the session's.
    func call(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws -> RawJSON

    func notify(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws

    /// Sends all lines as one array.
    ///
    /// - Returns: an outcome for each line, in order; nil for a notification that was sent.
    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?]

    /// Waits for the end of the connection, and returns why it ended; `nil` when the task is cancelled before.
    func connectionEnd() async -> CallFailure?
}

extension PeerSession {
    func call(_ method: String, params: RawJSON?) async throws -> RawJSON {
        try await call(method, params: params, extraMembers: ExtraMembers())
    }

    func notify(_ method: String, params: RawJSON?) async throws {
        try await notify(method, params: params, extraMembers: ExtraMembers())
    }
}
