// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP
import JSONRPCWebSocket
import ToolSupport
import WebSocket

/// The errors of the library, in the terms of the command line.
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
        let (kind, message) = Self.fault(ofPost: error, context) ?? (Self.kind(error), Self.message(error, context))
        self.init(
            kind: kind,
            // Without a connection, no request was sent, even if the error does not concern a call.
            delivery: error.delivery ?? (error.code == .connectFailed ? .notSent : .outcomeUnknown),
            message: message, isRetryable: error.isRetryable)
    }

    private static func kind(_ error: ClientError) -> Kind {
        let cause = error.cause as? WebSocketError
        return switch error.code {
        case .connectFailed: cause?.isUsage == true ? .invalid : .couldNotConnect
        case .timedOut: .timeout
        case .connectionLost:
            cause?.isViolation == true || (error.cause as? ClientError)?.code == .protocolViolation
                ? .protocolViolation : .lost
        case .protocolViolation, .decodingFailed, .missingResponse: .protocolViolation
        case .encodingFailed, .batchTooLarge, .requestIDInUse, .alreadyConnected: .invalid
        default: .lost
        }
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
            let details = (cause as? WebSocketError)?.details(url: context.url) ?? text(cause)
            return TerminalText.line(couldNotConnect(details))
        }
        if error.code == .batchTooLarge { return "The array has more calls than can be in flight. Lower --as-batch." }
        let advice = error.code == .timedOut ? " Raise \(context.timeoutOption) to wait longer." : ""
        return TerminalText.line("\(text(error))\(advice)")
    }

    private struct Reason: Error, CustomStringConvertible {
        var description: String
    }

    /// Returns the text of an error without the names of the library's options, and without the ids of requests, which
    /// the user has not chosen.
    static func text(_ error: any Error) -> String {
        if let error = error as? WebSocketError { return error.details() }
        guard var error = error as? ClientError else { return "\(error)" }
        if let cause = error.cause, cause is WebSocketError || cause is ClientError {
            error.cause = Reason(description: text(cause))
        }
        let text = "\(error)"
        return error.requestID.map { text.replacing(" Request id: \($0).", with: "") } ?? text
    }

    var errorJSON: RawJSON? { errorObject.flatMap { try? RawJSON(encoding: $0) } }
}

extension WebSocketError {
    /// Whether the URL or an option is invalid.
    fileprivate var isUsage: Bool { [.invalidURL, .invalidConfiguration, .unsupportedProxy].contains(code) }

    fileprivate var isViolation: Bool { [.protocolViolation, .invalidText, .messageTooBig].contains(code) }

    /// Returns the message for the user: one or more sentences on one line. `url` is the URL of the peer, for advice
    /// about its scheme; `nil` if it is unknown.
    fileprivate func details(url: String? = nil) -> String {
        // The names of the library's options are in parentheses.
        var details = TerminalText.line(message.replacing(/[ ]\([a-z]+[A-Z][A-Za-z]*\)/, with: ""))
        if let location { details += " Location: \(TerminalText.line(location))" }
        if let optionAdvice { details += " \(optionAdvice)" }
        if let advice = url.flatMap({ SchemeAdvice.text(for: self, url: $0) }) { details += " \(advice)" }
        return details + TerminalText.responseBody(response?.bodyStart ?? [])
    }

    /// A sentence that names the option for the error; `nil` if no option helps.
    private var optionAdvice: String? {
        switch code {
        case .connectTimeout: "Raise --connect-timeout to wait longer."
        case .certificateUnknownIssuer, .certificateSelfSigned:
            "If you trust the issuer of the certificate, give its certificate with --cacert."
        case .certificateWrongHost: "If the server has another name, give that name with --servername."
        case .invalidHandshake where message.contains("chose the subprotocol"):
            "If the server speaks JSON-RPC in it, offer it with --subprotocol."
        case .upgradeRefused where response?.status == 401: "Give credentials with --user @FILE or --bearer @FILE."
        case .peerUnresponsive:
            "--ping-interval and --ping-timeout set this time. If the peer does not answer PINGs, use --ping-interval none."
        default: nil
        }
    }
}
