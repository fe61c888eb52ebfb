// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP
import JSONRPCWebSocket
import WebSocket

extension CallFailure {
    /// Translates an error of the library.
    ///
    /// - Parameter maximumMessageBytes: The limit for a message of the peer, for the error about a larger one; `nil` if
    ///   it is unknown.
    init(_ error: any Error, maximumMessageBytes: Int? = nil) {
        switch error {
        case let failure as CallFailure: self = failure
        case is CancellationError:
            self.init(kind: .cancelled, delivery: .outcomeUnknown, message: "The call was cancelled.")
        case let error as ErrorObject:
            self.init(kind: .errorObject, delivery: .answered, message: "\(error)", errorObject: error)
        // A connection whose first calls failed.
        case let error as ClientError where error.code == .connectFailed && error.cause is ErrorObject:
            self.init(error.cause ?? error)
        case let error as ClientError: self.init(error, maximumMessageBytes)
        case let error as UsageError:
            self.init(kind: .invalid, delivery: .notSent, message: "\(error)")
        case let error as NotificationError:
            self.init(kind: .lost, delivery: .notSent, message: "\(error)")
        default:
            self.init(kind: .invalid, delivery: .notSent, message: "\(error)")
        }
    }

    private init(_ error: ClientError, _ maximumMessageBytes: Int?) {
        let delivery: Delivery =
            switch error.delivery {
            case .notSent, nil: .notSent
            case .outcomeUnknown: .outcomeUnknown
            case .answered: .answered
            }
        if let fault = HTTPFault.read(error, maximumMessageBytes) {
            self.init(kind: fault.kind, delivery: delivery, message: fault.message)
            return
        }
        self.init(
            kind: Self.kind(error), delivery: delivery, message: Self.message(error, maximumMessageBytes))
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
    static func tooLarge(_ maximumMessageBytes: Int?) -> String {
        let limit = maximumMessageBytes.map { "\($0) bytes" } ?? "the limit"
        return "The peer sent a message larger than \(limit). Raise --max-message-size to accept it."
    }

    /// Returns the message for the user, on one line. If connecting failed, the innermost cause is the most specific.
    private static func message(_ error: ClientError, _ maximumMessageBytes: Int?) -> String {
        if (error.cause as? WebSocketError)?.code == .messageTooBig {
            return tooLarge(maximumMessageBytes)
        }
        if error.code == .connectFailed, let cause = error.cause {
            return TerminalText.line("Could not connect. \(ConnectionFault(cause)?.details ?? "\(cause)")")
        }
        let advice = error.code == .timedOut ? " Raise --timeout to wait longer." : ""
        return TerminalText.line("\(error)\(advice)")
    }
}
