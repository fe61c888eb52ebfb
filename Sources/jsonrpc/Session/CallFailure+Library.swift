// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

extension CallFailure {
    /// Translates what the library throws.
    init(_ error: any Error) {
        switch error {
        case let failure as CallFailure: self = failure
        case is CancellationError:
            self.init(kind: .cancelled, delivery: .outcomeUnknown, message: "The call was given up.")
        case let error as ErrorObject:
            self.init(kind: .errorObject, delivery: .answered, message: "\(error)", errorObject: error)
        case let error as ClientError: self.init(error)
        case let error as UsageError:
            self.init(kind: .invalid, delivery: .notSent, message: "\(error)")
        case let error as NotificationError:
            self.init(kind: .lost, delivery: .notSent, message: "\(error)")
        default:
            self.init(kind: .invalid, delivery: .notSent, message: "\(error)")
        }
    }

    private init(_ error: ClientError) {
        let delivery: Delivery =
            switch error.delivery {
            case .notSent, nil: .notSent
            case .outcomeUnknown: .outcomeUnknown
            case .answered: .answered
            }
        self.init(kind: Self.kind(error), delivery: delivery, message: Self.message(error))
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

    /// What the user has to know. The innermost cause says most where there is no connection.
    private static func message(_ error: ClientError) -> String {
        if error.code == .connectFailed, let cause = error.cause {
            return "Could not connect. \(ConnectionFault(cause)?.details ?? "\(cause)")"
        }
        return "\(error)"
    }
}
