// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

extension WebSocketError {
    /// Makes an error with the numbers that belong to it.
    ///
    /// - Parameter isRetryable: `nil` for the value that follows from the other arguments.
    init(
        _ code: Code, _ message: String, systemError: Int32?, proxyStatus: Int? = nil, isRetryable: Bool? = nil
    ) {
        self.init(
            code, message,
            isRetryable: isRetryable ?? Self.isRetryable(code, systemError: systemError, status: proxyStatus))
        self.systemError = systemError
        self.proxyStatus = proxyStatus
    }

    /// Makes the error for event loops that are shut down or could not start.
    ///
    /// - Parameter failure: The reason why a loop could not start; `nil` if the loops are shut down.
    static func loopsStopped(_ failure: LWSProcess.Failure? = nil) -> WebSocketError {
        guard let failure else { return WebSocketError(.eventLoopsStopped, "The event loops are shut down.") }
        return WebSocketError(
            .eventLoopsStopped, "Could not start the event loop: \(failure.reason).",
            systemError: failure.code == 0 ? nil : failure.code)
    }

    /// Makes the error for a connection that has ended.
    ///
    /// - Parameters:
    ///   - message: The message without its full stop.
    ///   - fault: The fault of the stream; `nil` if the peer has ended the connection.
    static func lost(_ message: String, _ fault: StreamFault?) -> WebSocketError {
        var error = WebSocketError(.connectionLost, message + (fault.map { ": \($0.reason)." } ?? "."))
        error.systemError = fault?.systemError
        return error
    }

    /// Makes the error for a descriptor that the event loop cannot poll.
    static func noRoom(_ code: Code, _ failure: String) -> WebSocketError {
        WebSocketError(
            code,
            "\(failure): the event loop has no room for another descriptor. Raise the limit of open files before the "
                + "first connection.")
    }

    /// Makes the error for a server that answered with a status other than 101.
    ///
    /// - Parameter now: The current time in seconds since 1970, which a date in `Retry-After` is compared with.
    static func refused(_ response: Response, now: Int64 = Int64(time(nil))) -> WebSocketError {
        let isRedirect = (300..<400).contains(response.status)
        var error =
            isRedirect
            ? WebSocketError(
                .redirectRefused,
                "The server answered with a redirect (status \(response.status)), and redirects are not followed. "
                    + "Connect to the server's new URL.")
            : WebSocketError(
                .upgradeRefused, "The server refused the upgrade with status \(response.status).",
                isRetryable: passingStatuses.contains(response.status))
        error.response = response
        if isRedirect {
            error.location = response.headers.first { $0.name == "location" }?.value
        } else {
            error.retryAfter =
                response.headers.lazy.filter { $0.name == "retry-after" }
                .compactMap { RetryAfter.duration($0.value, now: now) }.first
        }
        return error
    }

    /// Returns whether a failure may pass by itself, as its code, the `errno` and the status indicate.
    static func isRetryable(_ code: Code, systemError: Int32?, status: Int?) -> Bool {
        switch code {
        case .connectTimeout, .connectionLost, .peerUnresponsive: true
        case .connectFailed, .listenFailed: systemError.map(isPassing) ?? false
        case .proxyFailed: status.map(passingStatuses.contains) ?? false
        // Without an `errno`, the loops were shut down, or this version of libwebsockets cannot be used.
        case .eventLoopsStopped: systemError != nil
        default: false
        }
    }

    /// Request Timeout, Too Many Requests, Bad Gateway, Service Unavailable, Gateway Timeout.
    private static let passingStatuses: Set<Int> = [408, 429, 502, 503, 504]

    /// Returns whether an attempt that failed with this `errno` may succeed later without a change on this side.
    static func isPassing(_ code: Int32) -> Bool {
        switch code {
        // The server may not have started yet. A Unix domain socket may be created later.
        case ECONNREFUSED, ECONNRESET, ECONNABORTED, ENOENT, EPIPE: true
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ENETRESET, ENONET: true
        // This machine has exhausted a resource.
        case EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRINUSE: true
        default: false
        }
    }
}
