// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

extension WebSocketError {
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

    /// Makes the error for a server that answered with a status other than 101.
    ///
    /// - Parameter now: The time that a date in `Retry-After` is compared with, in seconds since 1970.
    static func refused(_ response: Response, now: Int64 = Int64(time(nil))) -> WebSocketError {
        let isRedirect = (300..<400).contains(response.status)
        var error =
            isRedirect
            ? WebSocketError(
                .redirectRefused, "The server redirects with status \(response.status), which is not followed.")
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

    /// Whether a failure may pass by itself, as far as its code and the numbers that go with it tell.
    static func isRetryable(_ code: Code, systemError: Int32?, status: Int?) -> Bool {
        switch code {
        case .connectTimeout, .connectionLost, .peerUnresponsive: true
        case .connectFailed, .listenFailed: systemError.map(isPassing) ?? false
        case .proxyFailed: status.map(passingStatuses.contains) ?? false
        // Without an `errno` the loops were shut down, or this libwebsockets cannot be used.
        case .eventLoopsStopped: systemError != nil
        default: false
        }
    }

    /// Request Timeout, Too Many Requests, Bad Gateway, Service Unavailable, Gateway Timeout.
    private static let passingStatuses: Set<Int> = [408, 429, 502, 503, 504]

    /// Whether an attempt that failed with this `errno` may succeed later, though nobody changes anything on this side.
    static func isPassing(_ code: Int32) -> Bool {
        switch code {
        // Nobody is there yet; a Unix domain socket may be made later.
        case ECONNREFUSED, ECONNRESET, ECONNABORTED, ENOENT, EPIPE: true
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ENETRESET, ENONET: true
        // This machine has run out of something.
        case EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRINUSE: true
        default: false
        }
    }
}
