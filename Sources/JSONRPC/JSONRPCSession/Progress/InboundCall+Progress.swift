// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

extension InboundCall {
    /// Sends progress, or a partial result, of this call to the peer, if the peer asked for it.
    ///
    /// It returns when the notification is in the outbox, so a handler that awaits it goes no faster than the
    /// connection. Progress that is sent before the handler returns arrives before the response.
    ///
    /// - Parameters:
    ///   - progress: The progress. If the style has no member for it, as ``ProgressStyle/modelContext``, it must encode
    ///     as an object.
    ///   - style: The form of the progress. With a custom style, nothing is sent.
    /// - Returns: Whether the params of the request contain a token. If not, nothing is sent.
    /// - Throws: A `ClientError`; a `CancellationError` if the peer has cancelled the call.
    @discardableResult
    public func reportProgress(_ progress: some Encodable & Sendable, style: ProgressStyle) async throws -> Bool {
        guard let token = style.token(in: params) else { return false }
        let params: RawJSON?
        do {
            params = try style.params(token: token, progress: try coder.encode(progress))
        } catch {
            throw ClientError.encodingFailed(error, method: style.notification)
        }
        try await session.notifyRaw(style.notification, params: params, options: CallOptions())
        return true
    }
}
