// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes

extension JSONAPISender {
    /// Sends a request, and reads its response.
    ///
    /// - Throws: A ``JSONAPIError`` for a status other than 200 to 299, a document with errors, or an unreadable body.
    @concurrent public func send(_ request: JSONAPIRequest) async throws(JSONAPIError) -> ServerResponse {
        if let fault = request.fault { throw fault }
        if let fault = request.query.fault {
            throw JSONAPIError(.request, fault.description, underlying: fault)
        }
        let reader = ResponseReader(options: responseOptions, requested: request.extensions)
        let received: RawResponse
        do {
            received = try await execute(request)
        } catch {
            throw reader.failure(error)
        }
        return try reader.read(ServerResponse(received))
    }
}

struct ResponseReader {
    let options: ResponseOptions
    /// The extensions that the request applies.
    let requested: [String]

    func read(_ received: ServerResponse) throws(JSONAPIError) -> ServerResponse {
        var response = received
        guard response.status.kind == .successful else { throw refusal(response) }
        guard !response.body.isEmpty, response.status.code != 204 else { return response }
        if let type = response.headerFields[.contentType] {
            if let mediaType = response.mediaType {
                let accepted = requested + options.acceptedExtensions
                let unrequested = mediaType.extensions.filter { !accepted.contains($0) }
                guard unrequested.isEmpty else {
                    let message = "The response applies extensions that the request does not accept: \(unrequested)."
                    throw JSONAPIError(.unrequestedExtension, message, response: response)
                }
            } else if response.status.code == 202 {
                // Until the request is processed, the body can be anything.
                return response
            } else if !options.acceptsOtherMediaTypes {
                let message = """
                    The response with the status \(response.status.code) has the media type \(type.prefix(80)), expected \
                    \(JSONAPIMediaType.name). Set `ResponseOptions.acceptsOtherMediaTypes` to read it all the same.
                    """
                throw JSONAPIError(.mediaType, message, response: response)
            }
        }
        do {
            response.received = try ReceivedDocument(parsing: response.body, options: options.document)
        } catch {
            throw JSONAPIError(.document, error.description, underlying: error, response: response)
        }
        // An empty array next to data is a fault of the server, but not a failure.
        guard let received = response.received, let errors = received.errors,
            !errors.isEmpty || received.shape == .absent
        else {
            return response
        }
        let message = "The server reports errors with the status \(response.status.code)."
        throw JSONAPIError(.errors, message, response: response)
    }

    /// Returns the error for a response whose status is not from 200 to 299, or for which the client reports an error.
    func refusal(_ received: ServerResponse, _ error: (any Error)? = nil) -> JSONAPIError {
        var response = received
        var documentOptions = options.document
        documentOptions.refusesViolations = false
        var cause = error
        do {
            if !response.body.isEmpty {
                response.received = try ReceivedDocument(parsing: response.body, options: documentOptions)
            }
        } catch {
            cause = cause ?? error
        }
        let reason = response.status.reasonPhrase
        let text = "\(response.status.code)\(reason.isEmpty ? "" : " \(reason.prefix(60))")"
        return JSONAPIError(
            Self.code(response.status), "The server answered with the status \(text).", underlying: cause,
            response: response)
    }

    private static func code(_ status: HTTPResponse.Status) -> JSONAPIError.Code {
        switch status.code {
        case 403: .forbidden
        case 404: .notFound
        case 406: .notAcceptable
        case 409: .conflict
        case 415: .unsupportedMediaType
        case 400...499: .clientError
        case 500...599: .serverError
        default: .unexpectedStatus
        }
    }

    func failure(_ error: any Error) -> JSONAPIError {
        switch error {
        case let error as JSONAPIError: return error
        case is CancellationError: return JSONAPIError(.cancelled, "The request was cancelled.", underlying: error)
        case JSONAPIClientError.failure(let cause, let body, let head):
            if cause is CancellationError { return failure(CancellationError()) }
            let response = head.map { ServerResponse(RawResponse(head: $0, body: body)) }
            if let response, response.status.kind != .successful { return refusal(response, cause) }
            let document = body.flatMap { try? RawDocument(parsing: $0) }
            return JSONAPIError(
                document?.errors == nil ? .unspecified : .errors, Self.report(cause), underlying: cause ?? error,
                response: response, body: body, document: document)
        case let error as any SessionFailure: return error.failure(by: self)
        case is HTTPTransportError:
            return JSONAPIError(.connection, "The client could not send the request: \(error)", underlying: error)
        default:
            return JSONAPIError(.unspecified, Self.report(error), underlying: error)
        }
    }

    private static func report(_ cause: (any Error)?) -> String {
        cause.map { "The client reports a failure: \($0)" } ?? "The client reports a failure."
    }
}

/// An error of a session, for any type of failure.
private protocol SessionFailure {
    func failure(by reader: ResponseReader) -> JSONAPIError
}

extension HTTPRequestError: SessionFailure {
    fileprivate func failure(by reader: ResponseReader) -> JSONAPIError {
        guard case .status = self, let received else { return JSONAPIError(self) }
        return reader.refusal(received, self)
    }
}
