// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

// Tokens and progress in params.
extension ProgressStyle {
    /// Returns the params of a request with a token.
    func adding(token: String, to params: RawJSON?) throws -> RawJSON {
        if let addToken { return try addToken(token, params) }
        return try Self.setting(place[...], to: RawJSON(string: token), in: params ?? RawJSON(literal: "{}"))
    }

    private static func setting(
        _ place: ArraySlice<String>, to token: RawJSON, in object: RawJSON
    ) throws(ProgressStyle.TokenError) -> RawJSON {
        guard let name = place.first else { return token }
        // The object is valid JSON.
        guard let members = (try? object.members()) ?? nil else { throw .notAnObject(object) }
        let rest = place.dropFirst()
        let existing = members.last { $0.name == name }?.value
        if rest.isEmpty, existing != nil { throw .hasToken(member: name) }
        let value = rest.isEmpty ? token : try setting(rest, to: token, in: existing ?? RawJSON(literal: "{}"))
        return RawJSON(members: members.filter { $0.name != name } + [(name, value)])
    }

    /// Returns the token in the params of a request of the peer; `nil` for none, and for a custom style.
    func token(in params: RawJSON?) -> RawJSON? {
        guard addToken == nil else { return nil }
        var value = params
        for name in place { value = value?.member(name) }
        guard let value, value != .null else { return nil }
        return value
    }

    /// Returns the params of a notification of progress.
    func params(token: RawJSON, progress: RawJSON) throws(ProgressStyle.TokenError) -> RawJSON? {
        guard case .members(let name, let payload) = form else { return nil }
        if let payload { return RawJSON(members: [(name, token), (payload, progress)]) }
        guard let members = (try? progress.members()) ?? nil else { throw .notAnObject(progress) }
        return RawJSON(members: [(name, token)] + members.filter { $0.name != name })
    }

    /// The reason why a progress token could not be added to params.
    public enum TokenError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The value that must hold the token is not an object.
        case notAnObject(RawJSON)
        /// The params already have a member in the place of the token.
        case hasToken(member: String)

        public var description: String {
            switch self {
            case .notAnObject: "The progress token must be a member of an object, and the value in its place is none."
            case .hasToken(let member):
                "The params already have the member `\(member)`, which is for the progress token."
            }
        }
    }
}

extension InboundCall {
    /// Sends progress, or a partial result, of this call to the peer, if the peer asked for it.
    ///
    /// It returns when the notification is in the outbox, so a handler that awaits it is slowed to the speed of the
    /// connection. Progress that is sent before the handler returns arrives before the response.
    ///
    /// - Parameters:
    ///   - progress: The progress. If the style has no member for it, such as ``ProgressStyle/modelContext``, it must
    ///     encode as an object.
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
