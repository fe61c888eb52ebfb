// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// One request on its way through all stages.
struct RequestExchange<Request: HTTPAPIRequest>: Sendable {
    typealias Outcome = (value: Request.Response, head: HTTPResponse)
    typealias Failure = HTTPRequestError<Request.Failure>

    let request: Request
    let configuration: HTTPSessionConfiguration
    let context: HTTPRequestContext
    let chain: NextHTTPInterceptor
    /// Knows whether the task was cancelled, or a limit exceeded.
    let operation: LimitedOperation
    let downloadProgress: (@Sendable (HTTPProgress) -> Void)?

    private var decoder: any HTTPResponseDecoder { request.decoder ?? configuration.decoder }
    private var maximumBytes: Int { max(request.maximumResponseBytes ?? configuration.maximumResponseBytes, 0) }

    /// Sends the request.
    func run() async -> Result<Outcome, Failure> {
        do throws(Failure) {
            return .success(try await exchange())
        } catch {
            switch operation.reason {
            case .cancelled?: return .failure(.cancelled)
            case .timedOut(let limit)?: return .failure(error.timedOut(limit.exceeded))
            case nil: return .failure(error)
            }
        }
    }

    private func exchange() async throws(Failure) -> Outcome {
        let (head, entity) = try await make()
        let (response, stream) = try await send(head, entity)
        let observed = ObservedSource(stream.takeSource(), length: stream.length, progress: downloadProgress)
        stream.replaceSource(with: observed)
        let content = HTTPResponseContent(
            head: response, body: stream, maximumBytes: maximumBytes, decoder: decoder)
        do {
            try await request.validate(response)
        } catch is UnacceptableStatus {
            throw await .status(statusFailure(head, content, observed))
        } catch {
            await stream.discard()
            throw .response(
                HTTPExchangeFailure(error, request: head, head: response, bodyBeginning: observed.beginning))
        }
        do {
            let value = try await request.response(from: content)
            observed.stopRecording()
            return (value, response)
        } catch {
            throw classify(
                error, HTTPExchangeFailure(error, request: head, head: response, bodyBeginning: observed.beginning),
                default: Failure.response)
        }
    }

    private func make() async throws(Failure) -> (HTTPRequest, HTTPBodyEntity?) {
        do {
            return try await request.makeHTTPRequest(defaults: configuration.headerFields, decoder: decoder)
        } catch {
            throw error is CancellationError ? .cancelled : .request(HTTPExchangeFailure(error))
        }
    }

    private func send(
        _ head: HTTPRequest, _ entity: HTTPBodyEntity?
    ) async throws(Failure) -> (HTTPResponse, HTTPByteStream) {
        do {
            return try await chain(head, body: entity, context: context)
        } catch {
            throw classify(error, HTTPExchangeFailure(error, request: head), default: Failure.connection)
        }
    }

    /// Reads the body of an error response. Whatever happens to the body, the status is kept.
    private func statusFailure(
        _ head: HTTPRequest, _ content: HTTPResponseContent, _ observed: ObservedSource
    ) async -> HTTPStatusFailure<Request.Failure> {
        do {
            let failure = try await request.failure(from: content)
            return HTTPStatusFailure(
                request: head, head: content.head, failure: failure, bodyBeginning: observed.beginning)
        } catch {
            return HTTPStatusFailure(
                request: head, head: content.head, failure: nil, bodyBeginning: observed.beginning,
                failureError: error)
        }
    }

    /// Returns the failure with the stage to which an error belongs.
    private func classify(
        _ error: any Error, _ failure: HTTPExchangeFailure, default stage: (HTTPExchangeFailure) -> Failure
    ) -> Failure {
        switch error {
        case is CancellationError:
            // A limit that is exceeded cancels the task.
            if case .timedOut? = operation.reason { return .connection(failure) }
            return .cancelled
        case let error as HTTPTransportError where error.code == .invalidRequest: return .request(failure)
        case let error as HTTPTransportError where error.code == .bodyTooLarge: return .response(failure)
        case is HTTPTransportError: return .connection(failure)
        case is HTTPAuthorizationError, is HTTPBodyError: return .request(failure)
        case let error as HTTPRedirectError:
            var failure = failure
            failure.head = failure.head ?? error.head
            return .response(failure)
        case is HTTPByteStreamError: return .response(failure)
        default: return stage(failure)
        }
    }
}

extension HTTPRequestError {
    /// Returns the failure after a limit was exceeded. An error status that has arrived is kept.
    fileprivate func timedOut(_ reason: String) -> Self {
        let cause = HTTPTransportError(.timedOut, reason)
        switch self {
        case .request(var failure), .connection(var failure), .response(var failure):
            failure.underlying = cause
            return .connection(failure)
        case .status: return self
        case .cancelled: return .connection(HTTPExchangeFailure(cause))
        }
    }
}
