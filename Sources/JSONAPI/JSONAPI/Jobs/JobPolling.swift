// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
import HTTPTypes

/// How a client polls for the end of a request that the server processes later.
public struct JobPolling: Sendable {
    /// The time between two requests if the server names none. The default is 1 second.
    public var interval: Duration = .seconds(1)
    /// The longest time between two requests, whatever the server asks for. The default is 60 seconds.
    public var longestInterval: Duration = .seconds(60)
    /// The largest number of requests. The default is 100.
    public var limit = 100
    /// The clock of the pauses.
    public var clock: any HTTPClock = .continuous

    public init() {}

    fileprivate func pause(_ asked: Duration?) async throws(JSONAPIError) {
        let pause = max(.zero, min(asked ?? interval, longestInterval))
        do {
            try await clock.sleep(until: clock.now.advanced(by: pause))
        } catch {
            throw JSONAPIError(.cancelled, "The request was cancelled.", underlying: error)
        }
    }
}

extension JSONAPISender {
    /// Waits for the end of a request that the server has accepted (JSON:API, recommendation "Asynchronous
    /// Processing").
    ///
    /// The status 202 and `Content-Location` name a job. The client requests the job until the server redirects to the
    /// result with the status 303. `Retry-After` sets the time between two requests.
    ///
    /// - Returns: The response of the result. A response whose status is not 202 is returned unchanged.
    /// - Throws: A ``JSONAPIError``; with the code ``JSONAPIError/Code/unfinished`` if the server does not name a job,
    ///   or if the job does not end within the limit.
    @concurrent public func finish(
        _ response: ServerResponse, polling: JobPolling = JobPolling()
    ) async throws(JSONAPIError) -> ServerResponse {
        guard case .accepted(let location, let firstDelay) = response.outcome else { return response }
        guard let location else {
            let message = "The server has accepted the request, and does not name a job to wait for."
            throw JSONAPIError(.unfinished, message, response: response)
        }
        let job = JSONAPIRequest(.link(location, relativeTo: response.url))
        let jobURL = response.url(of: .reference(location))
        var (last, delay) = (response, firstDelay)
        for _ in 0..<max(polling.limit, 0) {
            try await polling.pause(delay)
            do {
                last = try await send(job)
            } catch  where error.status?.code == 303 {
                // The client does not follow redirects by itself.
                guard let result = error.response, let target = result.headerFields[values: .location].first else {
                    throw error
                }
                return try await send(JSONAPIRequest(.link(target, relativeTo: result.url ?? jobURL)))
            }
            if case .accepted(_, let next) = last.outcome {
                delay = next
            } else if let url = last.url, let jobURL, ![jobURL, jobURL + "/"].contains(url) {
                // Another URL is that of the result. A slash that a redirect has added does not count.
                return last
            } else {
                delay = last.headerFields.retryDelay()
            }
        }
        let message = "The job did not end within \(polling.limit) requests."
        throw JSONAPIError(.unfinished, message, response: last)
    }
}
