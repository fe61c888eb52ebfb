// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

extension JSONRPCEndpoint {
    /// Begins a call whose progress or partial results arrive before its result: see ``StreamingCall``.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - params: A value that encodes as a JSON object, because the token becomes a member of it.
    ///   - style: The form of the progress, such as ``ProgressStyle/workDone``.
    ///   - progress: The type that each progress is decoded as.
    ///   - type: The type that the result is decoded as.
    ///   - overflow: The policy for progress that arrives faster than it is consumed. The default keeps the newest
    ///     1024.
    ///   - decoding: The policy for progress that cannot be decoded. The default is
    ///     ``NotificationDecodingPolicy/fail``.
    ///   - timeout: The limit for the whole call, which progress does not extend. The default is
    ///     ``SessionConfiguration/Calls/timeout``.
    ///   - idleTimeout: The longest time without progress, from the beginning of the call. After it, the call is
    ///     cancelled and fails with the code `timedOut`. The default is `nil`: no limit.
    ///   - options: Extra members, and whether the call may be repeated.
    /// - Throws: A `ClientError` if the params cannot be encoded, or cannot hold the token.
    public func streamingCall<P: Encodable & Sendable, Progress: Decodable & Sendable, R: Decodable & Sendable>(
        _ method: String, params: P, style: ProgressStyle, progress: Progress.Type = Progress.self,
        as type: R.Type = R.self, overflow: NotificationOverflow = .standard,
        decoding: NotificationDecodingPolicy = .fail, timeout: CallTimeout = .default, idleTimeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) throws -> StreamingCall<Progress, R> {
        let request = StreamingCallRequest(
            method: method, params: try encode(params, method), style: style, timeout: timeout,
            idleTimeout: idleTimeout, options: options)
        return try streamingCall(request, overflow, decoding)
    }

    /// Begins a streaming call with params as a literal, whose values may have different types.
    ///
    /// - Throws: A `ClientError` if the params cannot be encoded, or cannot hold the token.
    public func streamingCall<Progress: Decodable & Sendable, R: Decodable & Sendable>(
        _ method: String, params: JSONValue = nil, style: ProgressStyle, progress: Progress.Type = Progress.self,
        as type: R.Type = R.self, overflow: NotificationOverflow = .standard,
        decoding: NotificationDecodingPolicy = .fail, timeout: CallTimeout = .default, idleTimeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) throws -> StreamingCall<Progress, R> {
        let request = StreamingCallRequest(
            method: method, params: try encode(params, method), style: style, timeout: timeout,
            idleTimeout: idleTimeout, options: options)
        return try streamingCall(request, overflow, decoding)
    }

    private func streamingCall<Progress: Decodable & Sendable, R: Decodable & Sendable>(
        _ request: StreamingCallRequest, _ overflow: NotificationOverflow, _ decoding: NotificationDecodingPolicy
    ) throws -> StreamingCall<Progress, R> {
        try openStreamingCall(
            request, overflow: overflow, decoding: decoding,
            decodeProgress: { [coder] in try $0.params(as: Progress.self, using: coder) },
            decodeResult: { [coder, method = request.method] in
                try Self.decode($0, as: R.self, method, using: coder)
            })
    }
}

extension EndpointOwner {
    public func openStreamingCall<Progress: Sendable, Value: Sendable>(
        _ request: StreamingCallRequest, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decodeProgress: @escaping @Sendable (InboundNotification) throws -> Progress,
        decodeResult: @escaping @Sendable (RawJSON) throws -> Value
    ) throws -> StreamingCall<Progress, Value> {
        // A client closes its connection when it is released. The task of the call holds it, as in other calls.
        let activity = try StreamingActivity(request, overflow: overflow, endpoint.notifications) {
            try await self.callRaw($0.method, params: $0.params, timeout: $0.timeout, options: $0.options)
        }
        return StreamingCall(
            stream: NotificationStream(
                queue: activity.route.queue, registration: activity, decoding: decoding, decode: decodeProgress),
            activity: activity, decodeResult: decodeResult)
    }
}
