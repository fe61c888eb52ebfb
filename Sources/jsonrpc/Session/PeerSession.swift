// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The operations that commands need from a connection. ``LibrarySession`` implements it with the library, and tests
/// implement it with scripted answers.
protocol PeerSession: Sendable {
    /// Makes a call and returns its result. The timeout is that of the session.
    func call(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws -> RawJSON

    /// Sends a notification.
    func notify(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws

    /// Sends all lines as one array.
    ///
    /// - Returns: An outcome for each line, in order; `nil` for a notification.
    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?]

    /// Waits for the end of the connection and returns the reason; `nil` if the task is cancelled before.
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
