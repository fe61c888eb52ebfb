// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONRPCCore
public import JSONRPCSession

/// The reason why a ``JSONRPCHTTPClient`` got no JSON-RPC answer. It is the `cause` of a `ClientError` with the code
/// `transportFailed` or `connectionLost`.
///
/// Failures of the connection before the head of a response have an `HTTPTransportError` as their cause.
public enum JSONRPCHTTPError: Error, Sendable {
    /// The status is not 2xx, and the body holds no JSON-RPC response.
    ///
    /// For a server failure (500, 502, 503, 504, and other statuses above 500 except 501, 505 and 511), the delivery is
    /// `outcomeUnknown`, because the status can come from a gateway, and the server behind it may have executed the
    /// calls. For other statuses it is `answered`.
    case status(HTTPAnswer)
    /// The status is 2xx, the media type is not a JSON type, and the body holds no JSON-RPC response.
    case contentType(HTTPAnswer)
    /// The body exceeds the limit ``JSONRPCHTTPOptions/maximumAnswerBytes``. Members of a batch that were answered
    /// before the limit have their own outcome.
    case answerTooLarge(HTTPAnswer, limit: Int)
    /// The connection ended within the body. The error is the transport's. Members of a batch that were answered before
    /// the end have their own outcome.
    case interrupted(HTTPAnswer, any Error)
    /// As many POSTs wait as ``JSONRPCHTTPOptions/maximumWaitingRequests`` allows.
    case tooManyWaiting(limit: Int)
    /// The URL is not an absolute `http` or `https` URL.
    case invalidURL(String)
    /// A stream of notifications was read. The server cannot send notifications over HTTP. `method` is `nil` for a
    /// stream of all notifications.
    case notificationsUnsupported(method: String?)
}

extension JSONRPCHTTPError: ConnectError {
    /// The answer, if the head of a response arrived.
    public var answer: HTTPAnswer? {
        switch self {
        case .status(let answer), .contentType(let answer), .answerTooLarge(let answer, _), .interrupted(let answer, _):
            answer
        case .tooManyWaiting, .invalidURL, .notificationsUnsupported: nil
        }
    }

    /// Whether the same call may succeed later. It is `true` for the statuses 408, 429, 502, 503 and 504, for an
    /// interrupted body, and for too many waiting POSTs.
    public var isRetryable: Bool {
        switch self {
        case .status(let answer): [408, 429, 502, 503, 504].contains(answer.status.code)
        case .interrupted, .tooManyWaiting: true
        case .contentType, .answerTooLarge, .invalidURL, .notificationsUnsupported: false
        }
    }

    /// The time that the server asks the client to wait; `nil` if it does not ask.
    public var retryAfter: Duration? { answer?.retryAfter }
}

extension JSONRPCHTTPError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .status(let answer):
            "The server answered with the status \(answer), and the body holds no JSON-RPC response."
                + (answer.asksForUnsupportedScheme.map { " It asks for \($0) authentication, which is not supported." }
                    ?? "")
        case .contentType(let answer):
            "The server answered with the content type `\(answer.headerFields[.contentType] ?? "")`, and the body holds no "
                + "JSON-RPC response."
        case .answerTooLarge(_, let limit):
            "The answer exceeds the limit of \(limit) bytes. Raise `maximumAnswerBytes` if you trust the server."
        case .interrupted(let answer, let error):
            "The connection ended within the body of the answer (status \(answer)): \(error)"
        case .tooManyWaiting(let limit):
            "\(limit) POSTs wait already, the limit of `maximumWaitingRequests`."
        case .invalidURL(let url):
            "`\(url)` is not an absolute http or https URL without a user name."
        case .notificationsUnsupported(let method):
            "The server cannot send \(method.map { "`\($0)`" } ?? "notifications") over HTTP. Connect to its WebSocket to get "
                + "notifications, or ask for the state with calls."
        }
    }
}

extension HTTPAnswer {
    /// The first scheme of a 401 that offers neither Basic nor Bearer, for which a header field is enough.
    fileprivate var asksForUnsupportedScheme: String? {
        let schemes = status == .unauthorized ? authenticationSchemes : []
        return schemes.contains { ["basic", "bearer"].contains($0.lowercased()) } ? nil : schemes.first
    }
}

extension ClientError {
    /// Returns the error for a POST that gave no JSON-RPC answer.
    init(_ failure: JSONRPCHTTPError) {
        let (code, delivery): (Code, ClientError.Delivery) =
            switch failure {
            case .status(let answer): (.transportFailed, answer.isRefusal ? .answered : .outcomeUnknown)
            case .contentType, .answerTooLarge: (.transportFailed, .answered)
            case .interrupted: (.connectionLost, .outcomeUnknown)
            case .tooManyWaiting, .notificationsUnsupported: (.transportFailed, .notSent)
            case .invalidURL: (.connectFailed, .notSent)
            }
        self.init(code, "\(failure)", cause: failure, delivery: delivery, isRetryable: failure.isRetryable)
        origin = failure.answer.map(HTTPAnswerOrigin.init)
    }

    /// Returns the error for a failure of the connection before the head of a response.
    init(_ failure: HTTPTransportError) {
        let (code, isRetryable): (Code, Bool) =
            switch failure.code {
            case .cannotConnect: (.connectFailed, true)
            case .secureConnectionFailed: (.connectFailed, false)
            case .connectionLost: (.connectionLost, true)
            case .timedOut: (failure.isRequestUnsent ? .connectFailed : .timedOut, true)
            case .closed: (.closed, false)
            default: (.transportFailed, false)
            }
        let isUnsent = failure.isRequestUnsent || [.connectFailed, .closed].contains(code)
        self.init(
            code, "The POST failed: \(failure).", cause: failure, delivery: isUnsent ? .notSent : .outcomeUnknown,
            isRetryable: isRetryable)
    }
}

extension HTTPAnswer {
    /// Whether the status reports a refused or answered request, and not the failure of a server.
    ///
    /// A server failure (RFC 9110 §15.6) can come from a gateway, after the server behind it has executed the calls:
    /// 502 and 504 say so, and proxies also use 500 and 503 for connections that they lost. `Retry-After` makes no
    /// difference, because it says when the server will be ready, and not whether it has executed the calls. The
    /// exceptions are statuses about the request itself: 501, 505 and 511 (RFC 6585 §6). A status outside of 100 to 599
    /// counts as a server failure (RFC 9110 §15).
    fileprivate var isRefusal: Bool { (100..<500).contains(status.code) || [501, 505, 511].contains(status.code) }
}

extension CallError {
    /// Wraps an error that a POST threw. Before the transport got the request, errors of other packages come from
    /// ``JSONRPCHTTPOptions/prepare``.
    init(_ error: any Error, isSent: Bool) {
        switch error {
        case let error as JSONRPCHTTPError: self = .failed(ClientError(error))
        case let error as RequestGate.Full: self = .failed(ClientError(.tooManyWaiting(limit: error.limit)))
        case let error as HTTPTransportError: self = .failed(ClientError(error))
        case is ClientError, is CallError, is ErrorObject, is CancellationError: self.init(error)
        default:
            let message = isSent ? "The transport failed: \(error)" : "Could not prepare the POST: \(error)"
            self = .failed(
                ClientError(.transportFailed, message, cause: error, delivery: isSent ? .outcomeUnknown : .notSent))
        }
    }
}
