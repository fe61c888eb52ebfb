// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

public import HTTPTypes
public import JSONRPCCore

/// The HTTP response that caused an error: its head, and the beginning of its body.
///
/// ```swift
/// do {
///     return try await rpc.call("getBlock", params: [7])
/// } catch let error as ErrorObject {
///     print(error.code, error.httpAnswer?.status.code ?? 0)
/// }
/// ```
public struct HTTPAnswer: Sendable, Hashable {
    /// The number of bytes of a body that ``bodyBeginning`` keeps: 1024.
    public static let bodyBeginningBytes = 1024

    /// The head of the response.
    public var response: HTTPResponse
    /// The first ``bodyBeginningBytes`` of the body. They may be confidential, so descriptions leave them out.
    public var bodyBeginning: [UInt8]

    /// Makes an answer.
    public init(response: HTTPResponse, bodyBeginning: [UInt8] = []) {
        self.response = response
        self.bodyBeginning = bodyBeginning
    }

    /// The status (RFC 9110 §15).
    public var status: HTTPResponse.Status { response.status }
    /// The header fields.
    public var headerFields: HTTPFields { response.headerFields }

    /// The time that the server asks the client to wait (`Retry-After`, RFC 9110 §10.2.3); `nil` if it does not ask.
    public var retryAfter: Duration? {
        headerFields[.retryAfter].flatMap { RetryAfter($0) }.map { $0.delay(from: .now) }
    }

    /// The authentication schemes that the server accepts, such as `Basic`, as it writes them (`WWW-Authenticate`,
    /// RFC 9110 §11.6.1). At most 8.
    package var authenticationSchemes: [String] {
        var isQuoted = false
        let parts = (headerFields[.wwwAuthenticate] ?? "").split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        // A part begins with a scheme, or is a further parameter of the one before: `name=value`.
        let schemes = parts.compactMap { part in
            part.split(separator: " ").first.flatMap { $0.contains("=") ? nil : String($0) }
        }
        return Array(schemes.prefix(8))
    }
}

extension HTTPAnswer: CustomStringConvertible {
    /// The status.
    public var description: String {
        status.reasonPhrase.isEmpty ? "\(status.code)" : "\(status.code) \(status.reasonPhrase)"
    }
}

/// Carries an answer in the errors that it causes.
final class HTTPAnswerOrigin: AnswerOrigin {
    let answer: HTTPAnswer

    init(_ answer: HTTPAnswer) { self.answer = answer }
}

extension ErrorObject {
    /// The HTTP response that held the error. `nil` for an error that did not come over a ``JSONRPCHTTPClient``.
    ///
    /// `==` does not compare it.
    public var httpAnswer: HTTPAnswer? { (origin as? HTTPAnswerOrigin)?.answer }
}

extension ClientError {
    /// The HTTP response that could not be used. `nil` if no response arrived, or the error did not come over a
    /// ``JSONRPCHTTPClient``.
    ///
    /// `==` does not compare it.
    public var httpAnswer: HTTPAnswer? { (origin as? HTTPAnswerOrigin)?.answer }
}

extension CallError {
    /// The HTTP response that caused the failure; `nil` if no response arrived.
    public var httpAnswer: HTTPAnswer? { (origin as? HTTPAnswerOrigin)?.answer }
}
