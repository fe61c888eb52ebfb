// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
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
        /// The option that has credentials, or "the URL"; `nil` if there are none.
        var credentials: String?
        /// Whether `--cacert` names the trusted certificates.
        var hasAuthority = false
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
        case let error as ClientError
        where error.code == .connectFailed && (error.cause is ErrorObject || error.cause is ClientError):
            self.init(error.cause ?? error, context)
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
            let failure = cause as? WebSocketError
            let details = failure?.details(context) ?? text(cause)
            // Only this cause does not name the server.
            if failure?.code == .connectTimeout { return TerminalText.line("\(error.message) \(details)") }
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

    /// Returns sentences about the error that ended a connection, on one line.
    static func reason(_ error: any Error, _ context: Context) -> String {
        (error as? WebSocketError)?.code == .messageTooBig ? tooLarge(context) : TerminalText.line(text(error))
    }

    /// Returns a text without the names of the library's options, which are in parentheses.
    static func withoutOptionNames(_ text: String) -> String {
        text.replacing(/[ ]\([a-z]+[A-Z][A-Za-z]*\)/, with: "")
    }

    /// Returns whether a server may have ended TLS because it wants another certificate of the client, or one at all.
    /// OpenSSL calls the alert of TLS 1.3 for this "unknown".
    static func mayWantClientCertificate(_ reason: String) -> Bool {
        ["certificate required", "bad certificate", #"alert "unknown""#].contains { reason.contains($0) }
    }

    static let clientCertificateAdvice =
        "If the server asks for a client certificate, give one that it trusts with --cert and --key."

    var errorJSON: RawJSON? { errorObject.flatMap { try? RawJSON(encoding: $0) } }
}

extension WebSocketError {
    /// Whether the URL or an option is invalid.
    fileprivate var isUsage: Bool { [.invalidURL, .invalidConfiguration, .unsupportedProxy].contains(code) }

    fileprivate var isViolation: Bool { [.protocolViolation, .invalidText, .messageTooBig].contains(code) }

    /// Returns the message for the user: one or more sentences on one line.
    fileprivate func details(_ context: CallFailure.Context = CallFailure.Context()) -> String {
        var details = TerminalText.line(CallFailure.withoutOptionNames(message))
        if let location { details += " Location: \(TerminalText.line(location))" }
        if let advice = optionAdvice(context) { details += " \(advice)" }
        if let response, response.status == 401 {
            details += CallFailure.authentication(response.authenticationFields, context, answersDigest: false)
        }
        if let advice = context.url.flatMap({ SchemeAdvice.text(for: self, url: $0) }) { details += " \(advice)" }
        return details + TerminalText.responseBody(response?.bodyStart ?? [])
    }

    /// A sentence that names the option for the error; `nil` if no option helps.
    private func optionAdvice(_ context: CallFailure.Context) -> String? {
        switch code {
        case .connectTimeout: "Raise --connect-timeout to wait longer."
        case .tlsFailed where CallFailure.mayWantClientCertificate(message),
            .connectionLost where CallFailure.mayWantClientCertificate(message):
            CallFailure.clientCertificateAdvice
        case .certificateUnknownIssuer where !context.hasAuthority,
            .certificateSelfSigned where !context.hasAuthority:
            "If you trust the issuer of the certificate, give its certificate with --cacert."
        case .certificateWrongHost: "If the server has another name, give that name with --servername."
        case .invalidHandshake where message.contains("chose the subprotocol"):
            "If the server speaks JSON-RPC in it, offer it with --subprotocol."
        case .peerUnresponsive:
            "--ping-interval and --ping-timeout set this time. If the peer does not answer PINGs, use --ping-interval none."
        default: nil
        }
    }
}

extension WebSocketError.Response {
    /// The answer without its body, for the fields that ask for credentials.
    fileprivate var authenticationFields: HTTPAnswer {
        var fields = HTTPFields()
        for (_, value) in headers.filter({ $0.name == "www-authenticate" }) {
            fields.append(HTTPField(name: .wwwAuthenticate, value: value))
        }
        return HTTPAnswer(response: HTTPResponse(status: .unauthorized, headerFields: fields))
    }
}
