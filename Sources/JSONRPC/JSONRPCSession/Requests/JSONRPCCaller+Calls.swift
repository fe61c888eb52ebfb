// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

extension JSONRPCCaller {
    // MARK: Calls

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - params: A value that encodes as a JSON array or object. It is encoded in the caller's task.
    ///   - type: The type that the result is decoded as.
    ///   - timeout: The limit for the whole call, including the time it waits to be sent. The default is
    ///     ``SessionConfiguration/Calls/timeout``.
    ///   - options: Extra members, and whether the call may be repeated.
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError` as soon as the task is cancelled.
    public func call<P: Encodable & Sendable, R: Decodable & Sendable>(
        _ method: String, params: P, as type: R.Type = R.self, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async throws -> R {
        let result = try await _callRaw(method, encoding: params, timeout: timeout, options: options)
        return try Self.decode(result, as: type, method, using: coder)
    }

    /// Makes a call without params, or with params as a literal, whose values may have different types:
    /// `params: ["token:x", ["http://example.org/"], ["dir": "/"]]`. Write variables in it as `JSONValue(count)`.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError` as soon as the task is cancelled.
    public func call<R: Decodable & Sendable>(
        _ method: String, params: JSONValue = nil, as type: R.Type = R.self, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async throws -> R {
        let result =
            if params.isNull {
                try await callRaw(method, params: nil, timeout: timeout, options: options)
            } else {
                try await _callRaw(method, encoding: params, timeout: timeout, options: options)
            }
        return try Self.decode(result, as: type, method, using: coder)
    }

    // MARK: Calls whose result is any JSON value

    /// Makes a call whose result is any JSON value.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError` as soon as the task is cancelled.
    @discardableResult
    public func call<P: Encodable & Sendable>(
        _ method: String, params: P, timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) async throws -> JSONValue {
        try await call(method, params: params, as: JSONValue.self, timeout: timeout, options: options)
    }

    /// Makes a call without params, or with params as a literal, whose result is any JSON value.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError` as soon as the task is cancelled.
    @discardableResult
    public func call(
        _ method: String, params: JSONValue = nil, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async throws -> JSONValue {
        try await call(method, params: params, as: JSONValue.self, timeout: timeout, options: options)
    }

    /// Makes a call with params and result as raw JSON.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError` as soon as the task is cancelled.
    public func callRaw(
        _ method: String, params: RawJSON? = nil, timeout: CallTimeout = .default
    ) async throws -> RawJSON {
        try await callRaw(method, params: params, timeout: timeout, options: CallOptions())
    }

    // MARK: Notifications

    /// Sends a notification.
    ///
    /// - Throws: A `ClientError` if the notification cannot be sent; a `CancellationError`.
    public func notify<P: Encodable & Sendable>(
        _ method: String, params: P, options: CallOptions = CallOptions()
    ) async throws {
        try await notifyRaw(method, params: try encode(params, method), options: options)
    }

    /// Sends a notification without params, or with params as a literal, whose values may have different types.
    ///
    /// - Throws: A `ClientError` if the notification cannot be sent; a `CancellationError`.
    public func notify(
        _ method: String, params: JSONValue = nil, options: CallOptions = CallOptions()
    ) async throws {
        let params = params.isNull ? nil : try encode(params, method)
        try await notifyRaw(method, params: params, options: options)
    }

    // MARK: Coding

    func encode(_ params: some Encodable, _ method: String) throws -> RawJSON? {
        let json: RawJSON
        do {
            json = try coder.encode(params)
        } catch {
            throw ClientError.encodingFailed(error, method: method)
        }
        return json.bytes.count == 4 && json == .null ? nil : json
    }

    static func decode<R: Decodable>(
        _ result: RawJSON, as type: R.Type, _ method: String, using coder: any MessageCoder
    ) throws -> R {
        do {
            return try coder.decode(type, from: result)
        } catch {
            throw ClientError.decodingFailed(error, as: type, method: method, result: result)
        }
    }
}

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
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError` as soon as the task is cancelled.
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
