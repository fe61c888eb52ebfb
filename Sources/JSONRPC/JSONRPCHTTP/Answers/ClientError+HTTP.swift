// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONRPCCore
import JSONRPCSession

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

    static func timedOut(_ delivery: ClientError.Delivery) -> ClientError {
        ClientError(.timedOut, "No response arrived before the timeout.", delivery: delivery)
    }
}

extension HTTPAnswer {
    /// Whether the status says that the request was refused or answered as it is, and not that a server failed at it.
    ///
    /// A server failure (RFC 9110 §15.6) can come from a gateway, after the server behind it has executed the calls: 502
    /// and 504 say so, and proxies also use 500 and 503 for connections that they lost. `Retry-After` makes no
    /// difference, because it says when the server will be ready, and not what it has done. The exceptions are statuses
    /// about the request itself: 501, 505 and 511 (RFC 6585 §6). A status outside of 100 to 599 counts as a server
    /// failure (RFC 9110 §15).
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
