// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// The failure of a request, by the stage in which it happened.
public enum HTTPRequestError<Failure: Sendable>: Error {
    /// The request could not be made: its URL, its body, ``HTTPAPIRequest/intercept(_:)``, or its authorization.
    case request(HTTPExchangeFailure)
    /// The request could not be sent, a time limit was exceeded, or the connection ended before the response was
    /// complete. The underlying error is an ``HTTPTransportError`` in most cases, or the error of an interceptor.
    case connection(HTTPExchangeFailure)
    /// The server answered with a status that the request does not accept.
    case status(HTTPStatusFailure<Failure>)
    /// The response could not be used: it cannot be parsed, is too large, or redirects in a way that is not followed.
    case response(HTTPExchangeFailure)
    /// The task that sends the request was cancelled, or ``HTTPSession/cancelRequests(with:passingTest:)`` was called.
    case cancelled
}

/// A failure of a request other than an error status.
public struct HTTPExchangeFailure: Sendable {
    /// The cause.
    public var underlying: any Error
    /// The head of the request; `nil` if it was not made.
    public var request: HTTPRequest?
    /// The head of the response; `nil` if none arrived.
    public var head: HTTPResponse?
    /// The beginning of the body that was read, at most 16 KiB. ``description`` leaves it out, because it may be
    /// confidential.
    public var bodyBeginning: [UInt8]

    public init(
        _ underlying: any Error, request: HTTPRequest? = nil, head: HTTPResponse? = nil, bodyBeginning: [UInt8] = []
    ) {
        self.underlying = underlying
        self.request = request
        self.head = head
        self.bodyBeginning = bodyBeginning
    }
}

/// A response whose status the request does not accept.
public struct HTTPStatusFailure<Failure: Sendable>: Sendable {
    /// The head of the request.
    public var request: HTTPRequest
    /// The head of the response.
    public var head: HTTPResponse
    /// The body; `nil` if it could not be read as `Failure`.
    public var failure: Failure?
    /// The beginning of the body, at most 16 KiB.
    public var bodyBeginning: [UInt8]
    /// The reason why ``failure`` is `nil`.
    public var failureError: (any Error)?

    public init(
        request: HTTPRequest, head: HTTPResponse, failure: Failure?, bodyBeginning: [UInt8] = [],
        failureError: (any Error)? = nil
    ) {
        self.request = request
        self.head = head
        self.failure = failure
        self.bodyBeginning = bodyBeginning
        self.failureError = failureError
    }

    /// The status of the response.
    public var status: HTTPResponse.Status { head.status }
}

extension HTTPRequestError {
    /// The head of the response; `nil` if none arrived.
    public var head: HTTPResponse? {
        switch self {
        case .request(let failure), .connection(let failure), .response(let failure): failure.head
        case .status(let failure): failure.head
        case .cancelled: nil
        }
    }

    /// The cause; `nil` for ``status(_:)`` and ``cancelled``.
    public var underlying: (any Error)? {
        switch self {
        case .request(let failure), .connection(let failure), .response(let failure): failure.underlying
        case .status, .cancelled: nil
        }
    }

    /// The cause if it is an error of the transport; otherwise `nil`.
    public var transportError: HTTPTransportError? { underlying as? HTTPTransportError }
}
