// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

extension Client {
    /// Sends a request, and reads its response.
    ///
    /// - Throws: A ``JSONAPIError`` for every status other than 200 to 299, for documents with errors, and for bodies that
    ///   cannot be read.
    @concurrent public func send(_ request: ClientRequest) async throws(JSONAPIError) -> ServerResponse {
        if let fault = request.query.fault {
            throw JSONAPIError(.request, fault.description, underlying: fault)
        }
        let reader = ResponseReader(options: responseOptions, requested: request.extensions)
        let received: ClientSuccessResponse
        do {
            received = try await execute(request)
        } catch {
            throw reader.failure(error)
        }
        return try reader.read(ServerResponse(received))
    }
}

/// Reads the responses to a request.
struct ResponseReader {
    let options: ResponseOptions
    /// The extensions that the request applies.
    let requested: [String]

    /// Reads the document of a response.
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
                    \(MediaType.name). Set `ResponseOptions.acceptsOtherMediaTypes` to read it all the same.
                    """
                throw JSONAPIError(.mediaType, message, response: response)
            }
        }
        do {
            response.received = try ReceivedDocument(parsing: response.body, options: options.document)
        } catch {
            throw JSONAPIError(.document, error.description, underlying: error, response: response)
        }
        // An empty array next to data is a fault of the server, and no failure.
        guard let received = response.received, let errors = received.errors,
            !errors.isEmpty || received.shape == .absent
        else {
            return response
        }
        let message = "The server reports errors with the status \(response.status.code)."
        throw JSONAPIError(.errors, message, response: response)
    }

    /// Returns the error for a response whose status is not one of success.
    private func refusal(_ received: ServerResponse) -> JSONAPIError {
        var response = received
        var documentOptions = options.document
        documentOptions.refusesViolations = false
        var cause: (any Error)?
        do {
            if !response.body.isEmpty {
                response.received = try ReceivedDocument(parsing: response.body, options: documentOptions)
            }
        } catch {
            cause = error
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

    /// Returns the error for a failure of the client.
    func failure(_ error: any Error) -> JSONAPIError {
        switch error {
        case let error as JSONAPIError: return error
        case is CancellationError: return JSONAPIError(.cancelled, "The request was cancelled.", underlying: error)
        case JSONAPIClientError.failure(let cause, let body):
            if cause is CancellationError { return failure(CancellationError()) }
            let document = body.flatMap { try? RawDocument(parsing: $0) }
            let message = cause.map { "The client could not send the request: \($0)" } ?? "The request failed."
            return JSONAPIError(
                document?.errors == nil ? .connection : .errors, message, underlying: cause ?? error,
                body: body, document: document)
        default:
            return JSONAPIError(.connection, "The client could not send the request: \(error)", underlying: error)
        }
    }
}
