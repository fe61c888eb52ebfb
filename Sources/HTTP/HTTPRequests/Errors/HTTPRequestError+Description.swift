// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
import HTTPTypes
import WireJSON

extension HTTPRequestError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    /// The stage, the method and the URL without secrets, and the reason.
    public var description: String {
        switch self {
        case .request(let failure):
            "Could not make the request\(failure.request.target): \(failure.reason)"
        case .connection(let failure):
            (failure.head == nil ? "Could not get a response" : "Could not read the response")
                + "\(failure.request.target)\(failure.headSummary): \(failure.reason)"
        case .status(let failure): failure.description
        case .response(let failure):
            "Could not use the response\(failure.request.target)\(failure.headSummary): \(failure.reason)"
        case .cancelled: "The request was cancelled."
        }
    }
}

extension HTTPStatusFailure: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    /// The status, the method and the URL without secrets, and the failure if its type describes itself.
    public var description: String {
        var text = "The server answered with the status \(head.status.text)\(request.target)."
        if let failure = failure as? any CustomStringConvertible, !(failure is [UInt8]) {
            text += " \(String(failure.description.prefix(500)))"
        }
        return text
    }
}

extension HTTPExchangeFailure: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String { reason + request.target }

    /// The cause in words. Ends with a full stop.
    fileprivate var reason: String {
        let text = CoderReason.text(of: underlying) ?? "\(underlying)"
        return text.last.map { ".!?".contains($0) } == true ? text : text + "."
    }

    fileprivate var headSummary: String {
        guard let head else { return "" }
        let type = head.headerFields[.contentType].map { ", Content-Type \(String($0.prefix(80)))" } ?? ""
        return " (status \(head.status.code)\(type))"
    }
}

extension HTTPResponse.Status {
    /// The code, and the reason that the server gave.
    var text: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase.prefix(60))" }
}

extension HTTPRequest? {
    /// " for GET https://example.com/…".
    fileprivate var target: String { map(\.target) ?? "" }
}

extension HTTPRequest {
    fileprivate var target: String { " for \(method) \(HTTPRedaction.standard.url(of: self))" }
}

extension HTTPTransportError: LocalizedError {
    public var errorDescription: String? { description }
}

enum CoderReason {
    /// The reason and the place, for the errors of coders and streams; `nil` for all other errors.
    static func text(of error: any Error) -> String? {
        guard let error = error as? HTTPByteStreamError else { return CodingReason.text(of: error) }
        if case .tooLarge = error { return "\(error) Raise `maximumResponseBytes`, or stream the body." }
        return "\(error)"
    }
}
