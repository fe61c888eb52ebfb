// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession

extension ClientError {
    /// Returns the error for a POST that gave no JSON-RPC answer.
    init(_ failure: JSONRPCHTTPError) {
        let (code, delivery): (Code, Delivery) =
            switch failure {
            case .status, .contentType, .answerTooLarge: (.transportFailed, .answered)
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

    static func timedOut(_ delivery: Delivery) -> ClientError {
        ClientError(.timedOut, "No response arrived before the timeout.", delivery: delivery)
    }
}

extension CallError {
    /// Wraps an error that a POST threw. Before the transport got the request, errors of other packages come from
    /// ``JSONRPCHTTPOptions/prepare``.
    init(_ error: any Error, isSent: Bool) {
        switch error {
        case let error as JSONRPCHTTPError: self = .failed(ClientError(error))
        case let error as HTTPTransportError: self = .failed(ClientError(error))
        case is ClientError, is CallError, is ErrorObject, is CancellationError: self.init(error)
        default:
            let message = isSent ? "The transport failed: \(error)" : "Could not prepare the POST: \(error)"
            self = .failed(
                ClientError(.transportFailed, message, cause: error, delivery: isSent ? .outcomeUnknown : .notSent))
        }
    }
}
