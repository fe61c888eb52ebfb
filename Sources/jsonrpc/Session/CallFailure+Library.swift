// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import WebSocket

extension CallFailure {
    /// Translates what the library throws.
    ///
    /// - Parameter maximumMessageBytes: The limit that a message of the peer may have exceeded; `nil` where it is not
    ///   known.
    init(_ error: any Error, maximumMessageBytes: Int? = nil) {
        switch error {
        case let failure as CallFailure: self = failure
        case is CancellationError:
            self.init(kind: .cancelled, delivery: .outcomeUnknown, message: "The call was given up.")
        case let error as ErrorObject:
            self.init(kind: .errorObject, delivery: .answered, message: "\(error)", errorObject: error)
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
        self.init(
            kind: Self.kind(error), delivery: delivery, message: Self.message(error, maximumMessageBytes))
    }

    private static func kind(_ error: ClientError) -> Kind {
        switch error.code {
        case .connectFailed: ConnectionFault(error.cause)?.isUsage == true ? .invalid : .couldNotConnect
        case .timedOut: .timeout
        case .connectionLost: isViolation(error.cause) ? .protocolViolation : .lost
        case .notConnected, .closed: .lost
        case .protocolViolation, .decodingFailed: .protocolViolation
        case .encodingFailed, .batchTooLarge, .requestIDInUse, .alreadyConnected: .invalid
        default: .lost
        }
    }

    /// Whether a connection ended because the peer broke a rule: of JSON-RPC, as the session saw it, or of WebSocket.
    private static func isViolation(_ cause: (any Error)?) -> Bool {
        if let error = cause as? ClientError { return error.code == .protocolViolation }
        return ConnectionFault(cause)?.isViolation == true
    }

    /// What the user has to know, on one line. The innermost cause says most where there is no connection.
    private static func message(_ error: ClientError, _ maximumMessageBytes: Int?) -> String {
        if (error.cause as? WebSocketError)?.code == .messageTooBig {
            let limit = maximumMessageBytes.map { "\($0) bytes" } ?? "the limit"
            return "The peer sent a message of more than \(limit). Accept it with a larger --max-message-size."
        }
        if error.code == .connectFailed, let cause = error.cause {
            return TerminalText.line("Could not connect. \(ConnectionFault(cause)?.details ?? "\(cause)")")
        }
        return TerminalText.line("\(error)")
    }
}
