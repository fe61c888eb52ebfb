// swift-jsonrpc · SPDX-License-Identifier: MIT

#if Tracing
    public import JSONRPCSession
    public import Tracing

    /// An interceptor that makes a span of swift-distributed-tracing for each call and notification, in both
    /// directions.
    ///
    /// ```swift
    /// let tracing = CallTracing()
    /// var configuration = SessionConfiguration()
    /// configuration.calls.interceptors = [tracing]
    /// configuration.inbound.interceptors = [tracing]
    /// ```
    ///
    /// The name of a span is the method. Its kind is `client` for calls of this side and `server` for calls of the
    /// peer. The attributes are those of OpenTelemetry's conventions for JSON-RPC: `rpc.system`, `rpc.method`,
    /// `rpc.jsonrpc.request_id` (calls of the peer only, because the id of an own call is not known yet), and, if the
    /// call failed, `rpc.jsonrpc.error_code` and `rpc.jsonrpc.error_message`. Each member of a batch has a span of its
    /// own. A span of a call begins before the call waits for room, and after it has waited for a connection. A call
    /// that a client sends again after a lost connection has a span for each attempt.
    public struct CallTracing: CallInterceptor, InboundCallInterceptor {
        /// The tracer; `nil` for the tracer of the process.
        private let ownTracer: (any Tracer)?
        /// Whether the context of traces is sent and read.
        public let propagates: Bool

        /// Makes an interceptor.
        ///
        /// - Parameters:
        ///   - tracer: The tracer. By default it is the tracer that `InstrumentationSystem` has when a call is made.
        ///   - propagates: Whether requests carry the context of their trace as extra members, such as the
        ///     `traceparent` of W3C Trace Context, and whether such members of the peer's requests are read. The
        ///     default is `false`, because some peers refuse requests with members that JSON-RPC 2.0 does not define.
        ///     The tracer decides about the names. Switch it on only for peers that may choose your trace ids.
        public init(tracer: (any Tracer)? = nil, propagates: Bool = false) {
            ownTracer = tracer
            self.propagates = propagates
        }

        private var tracer: any Tracer { ownTracer ?? InstrumentationSystem.tracer }

        /// Makes a call within a span.
        public func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
            try await withSpan(of: call) { try await next($0) }
        }

        /// Sends a notification within a span.
        public func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws {
            try await withSpan(of: notification) { try await next($0) }
        }

        /// Answers a call within a span.
        public func intercept(
            call: InboundCall, next: NextInboundInterceptor<RawJSON>
        ) async throws -> RawJSON {
            try await withSpan(of: call) { try await next(call) }
        }

        /// Handles a notification within a span.
        public func intercept(notification: InboundCall, next: NextInboundInterceptor<Void>) async throws {
            try await withSpan(of: notification) { try await next(notification) }
        }

        private func withSpan<Result: Sendable>(
            of call: OutboundCall, _ body: (OutboundCall) async throws -> Result
        ) async throws -> Result {
            let tracer = tracer
            return try await tracer.withAnySpan(call.method, ofKind: .client) { span in
                var call = call
                if propagates { tracer.inject(span.context, into: &call.options.extraMembers, using: MemberInjector()) }
                return try await Self.run(in: span, call.method) { try await body(call) }
            }
        }

        private func withSpan<Result: Sendable>(
            of call: InboundCall, _ body: () async throws -> Result
        ) async throws -> Result {
            let tracer = tracer
            var context = ServiceContext.topLevel
            if propagates { tracer.extract(call, into: &context, using: MemberExtractor()) }
            return try await tracer.withAnySpan(call.method, context: context, ofKind: .server) { span in
                if let id = call.id { span.attributes["rpc.jsonrpc.request_id"] = "\(id)" }
                return try await Self.run(in: span, call.method, body)
            }
        }

        private static func run<Result: Sendable>(
            in span: any Span, _ method: String, _ body: () async throws -> Result
        ) async throws -> Result {
            span.attributes["rpc.system"] = "jsonrpc"
            span.attributes["rpc.method"] = method
            do {
                return try await body()
            } catch {
                if let error = error as? ErrorObject {
                    span.attributes["rpc.jsonrpc.error_code"] = error.code.rawValue
                    span.attributes["rpc.jsonrpc.error_message"] = error.message
                }
                span.setStatus(SpanStatus(code: .error, message: "\(error)"))
                throw error
            }
        }
    }

    /// Writes the context of a trace into the extra members of a request.
    private struct MemberInjector: Injector {
        func inject(_ value: String, forKey key: String, into members: inout ExtraMembers) {
            // A tracer that uses a name of JSON-RPC's own is ignored.
            try? members.set(key, to: .string(value))
        }
    }

    /// Reads the context of a trace from the members of a request.
    private struct MemberExtractor: Extractor {
        /// The longest value that is read, in bytes. A `tracestate` has at most 512 (W3C Trace Context §3.3.1.5).
        static let maximumBytes = 1024

        func extract(key: String, from call: InboundCall) -> String? {
            guard !ExtraMembers.reservedNames.contains(key), let value = call.member(key),
                value.bytes.count <= Self.maximumBytes
            else { return nil }
            return (try? JSONValue(value))?.stringValue
        }
    }
#endif
