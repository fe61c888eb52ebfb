// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
public import Logging

/// Logs requests, responses and failures, without secrets.
///
/// The values of `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie` and ``redactedFields`` are replaced by
/// `<redacted>`, and so are those of query items with names such as `token`, `api_key` and `password`, and of
/// ``redactedQueryItems``. Bodies are not logged.
///
/// As the outermost interceptor, it logs each request once, with the time of all attempts. Inside of a
/// ``RetryInterceptor``, it logs each attempt.
public struct LoggingInterceptor: HTTPInterceptor {
    /// The logger.
    public var logger: Logger
    /// The level of requests and responses. The default is `debug`.
    public var level: Logger.Level = .debug
    /// The level of failures, and of responses with a status of 400 or more. The default is `warning`.
    public var failureLevel: Logger.Level = .warning
    /// Whether header fields are logged, as metadata. The default is `false`.
    public var includesHeaderFields = false
    /// Further header fields with secrets. The default is none.
    public var redactedFields: Set<HTTPField.Name> = []
    /// The names of further query items with secrets, in any case. The default is none.
    public var redactedQueryItems: Set<String> = []
    /// The clock of the durations.
    public var clock: any HTTPClock = .continuous

    /// Makes an interceptor.
    public init(logger: Logger) { self.logger = logger }

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> (HTTPResponse, HTTPByteStream) {
        let redaction = redaction
        var metadata: Logger.Metadata = [
            "method": "\(request.method)", "url": "\(redaction.url(of: request))", "attempt": "\(context.attempt)",
        ]
        logger.log(level: level, "HTTP request", metadata: add(request.headerFields, to: metadata, redaction))
        let start = clock.now
        do {
            let (head, stream) = try await next(request, body: body, context: context)
            metadata["status"] = "\(head.status.code)"
            metadata["duration"] = "\(start.duration(to: clock.now))"
            logger.log(
                level: head.status.code >= 400 ? failureLevel : level, "HTTP response",
                metadata: add(head.headerFields, to: metadata, redaction))
            return (head, stream)
        } catch {
            metadata["duration"] = "\(start.duration(to: clock.now))"
            metadata["error"] = "\(error)"
            logger.log(level: failureLevel, "HTTP failure", metadata: metadata)
            throw error
        }
    }

    private var redaction: SecretRedaction {
        var redaction = SecretRedaction.standard
        redaction.fieldNames.formUnion(redactedFields)
        redaction.queryNames.formUnion(redactedQueryItems.map { $0.lowercased() })
        return redaction
    }

    private func add(
        _ fields: HTTPFields, to metadata: Logger.Metadata, _ redaction: SecretRedaction
    ) -> Logger.Metadata {
        guard includesHeaderFields else { return metadata }
        var metadata = metadata
        metadata["fields"] = .array(fields.map { "\($0.name.rawName): \(redaction.value(of: $0))" })
        return metadata
    }
}
