// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import ToolSupport

/// The failures of POSTs, in the terms of the command line. A message is one or more sentences on one line.
extension CallFailure {
    typealias Fault = (kind: Kind, message: String)

    /// Returns the fault of a POST; `nil` if the error does not come from one.
    static func fault(ofPost error: ClientError, _ context: Context) -> Fault? {
        switch error.cause {
        case let failure as JSONRPCHTTPError: return fault(failure, context)
        case let failure as HTTPTransportError: return fault(failure, context)
        default:
            // The answer is JSON of another kind, or has no response to the call.
            guard let answer = error.httpAnswer, error.code == .missingResponse || error.irregularity == .notAMessage
            else { return nil }
            return (
                .protocolViolation,
                "The server answered with status \(text(answer.status)), and the body holds no response to the call."
                    + TerminalText.responseBody(answer.bodyBeginning)
            )
        }
    }

    private static func fault(_ failure: JSONRPCHTTPError, _ context: Context) -> Fault? {
        switch failure {
        case .status(let answer): return (.status, refusal(answer, context))
        case .contentType(let answer):
            let type = TerminalText.summary(answer.headerFields[.contentType] ?? "", maximumCharacters: 80)
            return (
                .protocolViolation,
                "The server answered with status \(text(answer.status)), the content type '\(type)', and no JSON-RPC "
                    + "response.\(TerminalText.responseBody(answer.bodyBeginning))"
            )
        case .answerTooLarge: return (.protocolViolation, tooLarge(context))
        case .interrupted(_, let error as HTTPTransportError) where error.code != .connectionLost:
            return fault(error, context)
        case .interrupted(let answer, _):
            return (.lost, "The connection was lost within the body of the answer (status \(text(answer.status))).")
        case .tooManyWaiting, .invalidURL, .notificationsUnsupported: return nil
        }
    }

    private static func fault(_ failure: HTTPTransportError, _ context: Context) -> Fault {
        let reason = TerminalText.line(words(of: failure))
        let advice = context.url.flatMap { SchemeAdvice.text(for: failure, url: $0) }.map { " \($0)" } ?? ""
        return switch failure.code {
        case .bodyTooLarge where reason.contains("factor"):
            (
                .protocolViolation,
                "The answer was refused, because decompression makes it more than 500 times as large."
            )
        case .bodyTooLarge: (.protocolViolation, tooLarge(context))
        case .protocolViolation: (.protocolViolation, reason + advice)
        case .invalidRequest: (.invalid, reason)
        case .cannotConnect: (.couldNotConnect, couldNotConnect(connectionReason(reason)))
        // A file of --cacert, --cert or --key.
        case .secureConnectionFailed where reason.hasPrefix("Could not read"): (.invalid, reason)
        case .secureConnectionFailed: (.couldNotConnect, tlsMessage(reason, context) + advice)
        case .timedOut where failure.isRequestUnsent:
            (.couldNotConnect, "Could not connect. \(reason) Raise --connect-timeout to wait longer.")
        case .timedOut: (.timeout, "\(reason) Raise \(context.timeoutOption) to wait longer.")
        default: (.lost, lost(reason) + advice)
        }
    }

    /// Returns the transport's reason without names of the libraries below it. A code of the TLS library, such as
    /// `CERTIFICATE_VERIFY_FAILED`, becomes words.
    private static func words(of failure: HTTPTransportError) -> String {
        // The name of an option is in parentheses and backquotes.
        let reason = failure.reason.replacing(/[ ]\(`[^`]*`\)/, with: "")
            .replacing(#/NIOSSLExtraError\.[A-Za-z]+: /#, with: "")
            .replacing(/: [a-z]+[A-Z][A-Za-z]*\(-?[0-9]+\)/, with: "")
        if reason.hasPrefix("Could not read"), let end = reason.firstRange(of: "': ") {
            return "\(reason[..<end.lowerBound])'. Check that the file is PEM."
        }
        guard reason.contains("NIOSSL") || reason.contains("BoringSSL") else { return reason }
        guard let code = reason.firstMatch(of: /:OPENSSL_internal:([A-Z0-9_]+)/) else {
            return "The TLS connection failed."
        }
        return "The TLS connection failed: \(code.1.lowercased().replacing("_", with: " "))."
    }

    /// Returns the reason of a failed connection without the names of functions and types of the library below.
    private static func connectionReason(_ reason: String) -> String {
        if let match = reason.firstMatch(of: /\(errno: ([0-9]{1,5})\)/), let number = Int32(match.1) {
            let place = reason.prefixMatch(of: #/Could not connect to [^ ]+: /#).map { String($0.0) } ?? ""
            return "\(place)\(SystemFailure.text(number))."
        }
        return reason.replacing(/SocketAddressError\.[A-Za-z]+: (.+) \(error .*/) { "\($0.1)." }
    }

    /// Returns the message about a lost connection, which says once that it was lost.
    private static func lost(_ reason: String) -> String {
        let ended = "The connection ended"
        if reason.hasPrefix(ended) { return "The connection was lost\(reason.dropFirst(ended.count))" }
        return reason.hasPrefix("The connection ") ? reason : "The connection was lost. \(reason)"
    }

    private static func tlsMessage(_ reason: String, _ context: Context) -> String {
        if reason.contains("in certificate from peer") {
            return "Could not connect. The TLS connection failed: the server's certificate is for another host. Use a "
                + "URL with a host that the certificate names."
        }
        var message = "Could not connect. \(reason)"
        guard HTTPSender.hasCertificateOptions else { return message }
        if mayWantClientCertificate(reason) {
            message += " \(clientCertificateAdvice)"
        } else if !context.hasAuthority, reason.lowercased().contains("certificate") {
            message += " If you trust the issuer of the server's certificate, give that certificate with --cacert."
        }
        return message
    }

    private static func refusal(_ answer: HTTPAnswer, _ context: Context) -> String {
        var message = "The server answered with status \(text(answer.status)) and no JSON-RPC response."
        if let location = answer.headerFields[.location] {
            message +=
                " Location: \(TerminalText.summary(location, maximumCharacters: 300)) Redirects are not followed. "
                + "Give the URL that the server names."
        }
        if let time = answer.headerFields[.retryAfter] {
            message += " Retry-After: \(TerminalText.summary(time, maximumCharacters: 80))"
        }
        if answer.headerFields[.wwwAuthenticate] != nil { message += authentication(answer, context) }
        if let advice = context.url.flatMap({ SchemeAdvice.text(for: answer, url: $0) }) { message += " \(advice)" }
        return message + TerminalText.responseBody(answer.bodyBeginning)
    }

    /// Returns sentences about the credentials that a server asks for. `answersDigest` is false for a WebSocket.
    static func authentication(_ answer: HTTPAnswer, _ context: Context, answersDigest: Bool = true) -> String {
        let refusal = context.credentials.map { " The server refused the credentials of \($0)." }
        guard answer.headerFields[.wwwAuthenticate] != nil else {
            return refusal ?? " Give credentials with --user @FILE or --bearer @FILE."
        }
        let names = answer.authenticationSchemes.map { $0.lowercased() }
        let isUser = names.contains("basic") || (answersDigest && DigestChallenge(answer.headerFields) != nil)
        guard isUser || names.contains("bearer") else {
            let isOtherDigest = answersDigest && names.contains("digest")
            let scheme = TerminalText.summary(
                isOtherDigest ? "another kind of Digest" : answer.authenticationSchemes.first ?? "an unknown kind of",
                maximumCharacters: 40)
            return " The server asks for \(scheme) authentication, which is not supported"
                + (answersDigest ? "." : " for a WebSocket.") + " A user name and a password (--user: Basic"
                + (answersDigest ? ", or Digest with MD5 or SHA-256 and qop=auth" : "") + ") and tokens (--bearer) are."
        }
        let challenges = answer.challenges.map { $0.scheme + ($0.realm.map { " realm=\($0)" } ?? "") }
        let advice =
            (isUser ? " Give a user name and a password with --user @FILE." : "")
            + (names.contains("bearer") ? " Give a token with --bearer @FILE." : "")
        return " WWW-Authenticate: \(TerminalText.summary(challenges.joined(separator: ", "), maximumCharacters: 160))"
            + (refusal ?? advice)
    }

    private static func text(_ status: HTTPResponse.Status) -> String {
        TerminalText.summary("\(status.code) \(status.reasonPhrase)", maximumCharacters: 120)
    }
}
