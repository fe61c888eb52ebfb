// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPSyntax
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

    public init(response: HTTPResponse, bodyBeginning: [UInt8] = []) {
        self.response = response
        self.bodyBeginning = bodyBeginning
    }

    /// The status (RFC 9110 §15).
    public var status: HTTPResponse.Status { response.status }
    /// The header fields.
    public var headerFields: HTTPFields { response.headerFields }

    /// The time that the server asks the client to wait (`Retry-After`, RFC 9110 §10.2.3); `nil` if it does not ask.
    public var retryAfter: Duration? { headerFields.retryDelay() }

    /// The challenges of the server (`WWW-Authenticate`, RFC 9110 §11.6.1): schemes such as `Basic`, as it writes them,
    /// with their realms. Other parameters, such as nonces, are left out, and so are repetitions. At most 8.
    package var challenges: [(scheme: String, realm: String?)] {
        var unique: [(scheme: String, realm: String?)] = []
        for (scheme, parameters) in FieldText.challenges(of: headerFields[values: .wwwAuthenticate])
        where FieldText.isToken(scheme) {
            let realm = parameters.last { $0.lowercased().hasPrefix("realm=") }?.dropFirst("realm=".count)
            let challenge = (scheme: String(scheme), realm: realm.map(String.init))
            if !unique.contains(where: { $0 == challenge }) { unique.append(challenge) }
        }
        return Array(unique.prefix(8))
    }

    package var authenticationSchemes: [String] { challenges.map(\.scheme) }
}

extension HTTPAnswer: CustomStringConvertible {
    /// The status code and the reason phrase, if there is one.
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
    /// The HTTP response that held the error. `nil` for an error that did not come over a `JSONRPCHTTPClient`.
    ///
    /// `==` does not compare it.
    public var httpAnswer: HTTPAnswer? { (origin as? HTTPAnswerOrigin)?.answer }
}

extension ClientError {
    /// The HTTP response that could not be used. `nil` if no response arrived, or the error did not come over a
    /// `JSONRPCHTTPClient`.
    ///
    /// `==` does not compare it.
    public var httpAnswer: HTTPAnswer? { (origin as? HTTPAnswerOrigin)?.answer }
}

extension CallError {
    /// The HTTP response that caused the failure; `nil` if no response arrived.
    public var httpAnswer: HTTPAnswer? { errorObject?.httpAnswer ?? clientError?.httpAnswer }
}
