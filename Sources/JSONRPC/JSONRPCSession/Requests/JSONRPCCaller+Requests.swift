// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import WireJSON

extension JSONRPCCaller {
    /// Makes the call of a request, or sends a `JSONRPCNotification`.
    ///
    /// The params are encoded and the result is decoded in the caller's task. For a notification, the function returns
    /// when the message is in the outbox.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - timeout: The limit for the whole call, including the time it waits to be sent. The default is the request's
    ///     own `timeout`. It does not apply to notifications.
    ///   - options: Options whose extra members are added to the request's own.
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`, immediately when the task is
    ///   cancelled.
    public func call<Request: JSONRPCRequest>(
        _ request: Request, timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) async throws -> Request.Response {
        let options = options.adding(to: request.extraMembers, isIdempotent: request.isIdempotent)
        do {
            if Request.isNotification {
                let params = try request.encodedParams(using: coder)
                try await notifyRaw(request.method, params: params, options: options)
                return try request.notified()
            }
            let timeout = timeout.or(request.timeout)
            let hasParams = Request.Params.self != NoParams.self
            let result =
                if hasParams {
                    try await _callRaw(request.method, encoding: request.params, timeout: timeout, options: options)
                } else {
                    try await callRaw(request.method, params: nil, timeout: timeout, options: options)
                }
            return try request.decoded(result, using: coder)
        } catch let error as CallError {
            throw error.underlying
        }
    }
}

extension CallOptions {
    /// Returns these options with their extra members added to a request's own. The call may be repeated if the options
    /// or the request say so.
    func adding(to extraMembers: ExtraMembers, isIdempotent: Bool) -> CallOptions {
        if extraMembers.isEmpty, !isIdempotent { return self }
        var options = self
        options.isIdempotent = options.isIdempotent || isIdempotent
        if extraMembers.isEmpty { return options }
        options.extraMembers = extraMembers.merging(self.extraMembers)
        return options
    }
}
