// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
public import Logging

/// Logs requests, responses and failures, without secrets.
///
/// ``redaction`` decides which values are secret. Bodies are not logged.
///
/// As the outermost interceptor, it logs each request once, with the time of all attempts. Inside a
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
    /// The secrets that are left out. The default is ``HTTPRedaction/standard``.
    public var redaction = HTTPRedaction.standard
    /// The clock of the durations.
    public var clock: any HTTPClock = .continuous

    public init(logger: Logger) { self.logger = logger }

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        var metadata: Logger.Metadata = [
            "method": "\(request.method)", "url": "\(redaction.url(of: request))", "attempt": "\(context.attempt)",
        ]
        logger.log(level: level, "HTTP request", metadata: add(request.headerFields, to: metadata))
        let start = clock.now
        do {
            let response = try await next(request, body: body, context: context)
            metadata["status"] = "\(response.head.status.code)"
            metadata["duration"] = "\(start.duration(to: clock.now))"
            logger.log(
                level: response.head.status.code >= 400 ? failureLevel : level, "HTTP response",
                metadata: add(response.head.headerFields, to: metadata))
            return response
        } catch {
            metadata["duration"] = "\(start.duration(to: clock.now))"
            metadata["error"] = "\(error)"
            logger.log(level: failureLevel, "HTTP failure", metadata: metadata)
            throw error
        }
    }

    private func add(_ fields: HTTPFields, to metadata: Logger.Metadata) -> Logger.Metadata {
        guard includesHeaderFields else { return metadata }
        var metadata = metadata
        metadata["fields"] = .array(fields.map { "\($0.name.rawName): \(redaction.value(of: $0))" })
        return metadata
    }
}
