// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The form in which a protocol reports the progress of a call: the place of the token in the params of the request,
/// and the notifications that carry the token.
///
/// JSON-RPC defines no progress, but protocols based on it do. The caller adds a token to the params. The peer sends
/// notifications with that token until it has sent the response.
public struct ProgressStyle: Sendable, Hashable {
    let notification: String
    /// The places of the token and the progress in a notification.
    let form: NotificationForm
    /// The member of the request's params that holds the token, and the objects around it, the outermost first.
    let place: [String]
    /// Returns the params of a request with a token; `nil` if the token belongs at ``place``.
    let addToken: (@Sendable (_ token: String, _ params: RawJSON?) throws -> RawJSON)?

    /// The notice that cancels a call of this style in a session without a
    /// ``SessionConfiguration/Calls/cancellationNotice``.
    public var cancellationNotice: CancellationNotice

    // MARK: Forms

    /// The work done so far, as in the Language Server Protocol: the token is the member `workDoneToken` of the params,
    /// and notifications `$/progress` carry `{"token": …, "value": progress}`. Calls are cancelled by
    /// ``CancellationNotice/cancelRequest``.
    public static let workDone = ProgressStyle(
        notification: "$/progress", requestedBy: "workDoneToken", cancellationNotice: .cancelRequest)

    /// Partial results, as in the Language Server Protocol: as ``workDone``, with the token in `partialResultToken`. If
    /// the server sends partial results, the response holds no results (`[]` or `null`).
    public static let partialResult = ProgressStyle(
        notification: "$/progress", requestedBy: "partialResultToken", cancellationNotice: .cancelRequest)

    /// Progress in the Model Context Protocol: the token is the member `progressToken` of the object `_meta` in the
    /// params, and the params of notifications `notifications/progress` are the progress. Calls are cancelled by
    /// ``CancellationNotice/cancelled``.
    public static let modelContext = ProgressStyle(
        notification: "notifications/progress", token: "progressToken", value: nil,
        requestedBy: "_meta", "progressToken", cancellationNotice: .cancelled)
}

extension ProgressStyle {
    /// Makes a style whose notifications carry the token and the progress as members of their params.
    ///
    /// - Parameters:
    ///   - method: The method of the notifications.
    ///   - token: The member of their params that holds the token. The default is `token`.
    ///   - value: The member of their params that holds the progress. The default is `value`. With `nil`, the params as
    ///     a whole are the progress.
    ///   - place: The member of the request's params that holds the token. Several names stand for objects in objects,
    ///     the outermost first.
    ///   - cancellationNotice: The notice that cancels a call, unless the session has one. The default is none.
    public init(
        notification method: String, token: String = "token", value: String? = "value", requestedBy place: String...,
        cancellationNotice: CancellationNotice = .none
    ) {
        self.init(
            notification: method, form: .members(token: token, payload: value), place: place, addToken: nil,
            cancellationNotice: cancellationNotice)
    }

    /// Makes a style from closures. Make it once, and use it for all calls of its form.
    ///
    /// - Parameters:
    ///   - method: The method of the notifications.
    ///   - cancellationNotice: The notice that cancels a call, unless the session has one. The default is none.
    ///   - addToken: Returns the params of a request with a token. It runs in the caller's task. Its errors are thrown
    ///     by the call.
    ///   - extract: Returns the token and the progress in a notification; `nil` if it is no progress. It is called on
    ///     the transport's thread, without a lock, so it must return quickly and must not block.
    public static func custom(
        notification method: String, cancellationNotice: CancellationNotice = .none,
        addToken: @escaping @Sendable (_ token: String, _ params: RawJSON?) throws -> RawJSON,
        _ extract: @escaping @Sendable (InboundNotification) -> ProgressStyle.Message?
    ) -> ProgressStyle {
        let extractor = NotificationExtractor { notification in
            guard let message = extract(notification), let id = SubscriptionID(RawJSON(string: message.token)) else {
                return nil
            }
            return SubscriptionStyle.Message(id: id, payload: message.payload)
        }
        return ProgressStyle(
            notification: method, form: .custom(extractor), place: [], addToken: addToken,
            cancellationNotice: cancellationNotice)
    }

    public static func == (left: ProgressStyle, right: ProgressStyle) -> Bool {
        left.notification == right.notification && left.form == right.form && left.place == right.place
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(notification)
        hasher.combine(form)
        hasher.combine(place)
    }
}

extension ProgressStyle {
    /// The progress in a notification, as a ``ProgressStyle`` reads it.
    public struct Message: Sendable, Hashable {
        /// The token of the call.
        public var token: String
        /// The progress; `nil` for none.
        public var payload: RawJSON?

        public init(token: String, payload: RawJSON?) {
            self.token = token
            self.payload = payload
        }
    }
}
