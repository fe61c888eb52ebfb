// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import WireJSON

extension JSONRPCCaller {
    /// Makes the call that a request stands for; sends it as a notification when its response is `Void`.
    ///
    /// The params are encoded, and the result is decoded, in the caller's task. A notification is sent when this
    /// returns, and `timeout` has no meaning for it.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - timeout: how long it may take, waiting to be sent included.
    ///   - options: their extra members come on top of the request's own.
    /// - Throws: the peer's `ErrorObject`; a `ClientError`; or, at once when the task is cancelled,
    ///   `CancellationError`.
    public func call<Request: JSONRPCRequest>(
        _ request: Request, timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) async throws -> Request.Response {
        let params = try request.encodedParams(using: coder)
        let options = options.adding(to: request.extraMembers)
        do {
            if Request.isNotification {
                try await notifyRaw(request.method, params: params, options: options)
                return try request.notified()
            }
            let result = try await callRaw(request.method, params: params, timeout: timeout, options: options)
            return try request.decoded(result, using: coder)
        } catch let error as CallError {
            throw error.underlying
        }
    }

    /// Makes the call that a request stands for, and gives its outcome: what ``call(_:timeout:options:)`` returns or
    /// throws.
    public func result<Request: JSONRPCRequest>(
        of request: Request, timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) async -> Result<Request.Response, CallError> {
        do {
            return .success(try await call(request, timeout: timeout, options: options))
        } catch {
            return .failure(CallError(error, method: request.method))
        }
    }
}

extension CallOptions {
    /// These options, with their extra members on top of others.
    func adding(to extraMembers: ExtraMembers) -> CallOptions {
        if extraMembers.isEmpty { return self }
        var options = self
        options.extraMembers = extraMembers.merging(self.extraMembers)
        return options
    }
}
