// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP
import JSONRPCWebSocket
import WebSocket

extension CallFailure {
    /// What messages about failures say of the command line.
    struct Context: Sendable {
        /// The limit for a message of the peer, for the error about a larger one; `nil` if it is unknown.
        var maximumMessageBytes: Int?
        /// The option that sets the time limit of a call.
        var timeoutOption = "--timeout"
        /// The URL of the peer, for advice about its scheme; `nil` if it is unknown.
        var url: String?
    }

    init(_ error: any Error, _ context: Context = Context()) {
        switch error {
        case let failure as CallFailure: self = failure
        case let error as CallError: self.init(error.underlying, context)
        case is CancellationError:
            self.init(kind: .cancelled, delivery: .outcomeUnknown, message: "The call was cancelled.")
        case let error as ErrorObject:
            self.init(kind: .errorObject, delivery: .answered, message: "\(error)", errorObject: error)
        // A connection whose first calls failed.
        case let error as ClientError where error.code == .connectFailed && error.cause is ErrorObject:
            self.init(error.cause ?? error)
        case let error as ClientError: self.init(error, context)
        case let error as UsageError:
            self.init(kind: .invalid, delivery: .notSent, message: "\(error)")
        case let error as NotificationError:
            self.init(kind: .lost, delivery: .outcomeUnknown, message: "\(error)")
        // An unknown error says nothing about the request.
        default: self.init(kind: .invalid, delivery: .outcomeUnknown, message: "\(error)")
        }
    }

    private init(_ error: ClientError, _ context: Context) {
        delivery =
            switch error.delivery {
            case .notSent: .notSent
            case .answered: .answered
            // Without a connection, no request was sent, even if the error does not concern a call.
            case nil where error.code == .connectFailed: .notSent
            case .outcomeUnknown, nil: .outcomeUnknown
            }
        let fault = HTTPFault.read(error, context)
        kind = fault?.kind ?? Self.kind(error)
        message = fault?.message ?? Self.message(error, context)
        isRetryable = error.isRetryable
    }

    private static func kind(_ error: ClientError) -> Kind {
        switch error.code {
        case .connectFailed: ConnectionFault(error.cause)?.isUsage == true ? .invalid : .couldNotConnect
        case .timedOut: .timeout
        case .connectionLost: isViolation(error.cause) ? .protocolViolation : .lost
        case .notConnected, .closed: .lost
        case .protocolViolation, .decodingFailed, .missingResponse: .protocolViolation
        case .encodingFailed, .batchTooLarge, .requestIDInUse, .alreadyConnected: .invalid
        default: .lost
        }
    }

    /// Returns whether a connection ended because the peer violated the JSON-RPC or WebSocket protocol.
    private static func isViolation(_ cause: (any Error)?) -> Bool {
        if let error = cause as? ClientError { return error.code == .protocolViolation }
        return ConnectionFault(cause)?.isViolation == true
    }

    /// Returns the message about a message of the peer that exceeds the limit.
    static func tooLarge(_ context: Context) -> String {
        let limit = context.maximumMessageBytes.map { "\($0) bytes" } ?? "the limit"
        return "The peer sent a message larger than \(limit). Raise --max-message-size to accept it."
    }

    /// Returns a sentence about an attempt to connect, which says once that it failed.
    static func couldNotConnect(_ details: String) -> String {
        details.hasPrefix("Could not ") ? details : "Could not connect. \(details)"
    }

    /// Returns the message for the user, on one line. If connecting failed, the innermost cause is the most specific.
    private static func message(_ error: ClientError, _ context: Context) -> String {
        if (error.cause as? WebSocketError)?.code == .messageTooBig { return tooLarge(context) }
        if error.code == .connectFailed, let cause = error.cause {
            let details = ConnectionFault(cause, url: context.url)?.details ?? text(cause)
            return TerminalText.line(couldNotConnect(details))
        }
        if error.code == .batchTooLarge { return "The array has more calls than can be in flight. Lower --as-batch." }
        let advice = error.code == .timedOut ? " Raise \(context.timeoutOption) to wait longer." : ""
        return TerminalText.line("\(text(error))\(advice)")
    }

    /// An error with the text of another.
    private struct Reason: Error, CustomStringConvertible {
        var description: String
    }

    /// Returns the text of an error without the names of the library's options, and without the ids of requests, which
    /// the user has not chosen.
    static func text(_ error: any Error) -> String {
        if let fault = ConnectionFault(error) { return fault.details }
        guard var error = error as? ClientError else { return "\(error)" }
        if let cause = error.cause, cause is WebSocketError || cause is ClientError {
            error.cause = Reason(description: text(cause))
        }
        let text = "\(error)"
        return error.requestID.map { text.replacing(" Request id: \($0).", with: "") } ?? text
    }
}
