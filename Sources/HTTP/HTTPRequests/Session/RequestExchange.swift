// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// One request through all its stages, and its outcome.
///
/// Functions between the stages throw any error, although all errors are a `Failure`: each use of a generic result or
/// error costs a metadata lookup.
///
/// The outcome needs no lock: ``run()`` stores it in the task of the operation, and the caller reads it after that task
/// has resumed it.
final class RequestExchange<Request: HTTPAPIRequest>: LimitedWork, @unchecked Sendable {
    typealias Failure = HTTPRequestError<Request.Failure>

    let request: Request
    private let session: HTTPSession
    private let context: HTTPRequestContext
    private let chain: RequestChain
    private let downloadProgress: (@Sendable (HTTPProgress) -> Void)?
    private var value: Request.Response?
    /// The head of the response; `nil` if the request failed.
    private(set) var head: HTTPResponse?
    private var error: (any Error)?

    init(
        _ request: Request, session: HTTPSession, context: HTTPRequestContext, chain: RequestChain,
        downloadProgress: (@Sendable (HTTPProgress) -> Void)?
    ) {
        self.request = request
        self.session = session
        self.context = context
        self.chain = chain
        self.downloadProgress = downloadProgress
    }

    /// Knows whether the task was cancelled, or a limit exceeded.
    private var operation: LimitedOperation { chain.operation }
    private var maximumBytes: Int { max(request.maximumResponseBytes ?? session.configuration.maximumResponseBytes, 0) }

    // MARK: The outcome

    /// Returns the response after ``run()``; `nil` if the request failed. It can be taken once.
    func takeValue() -> Request.Response? { value.take() }

    /// The failure of a request that has no response. A request that was not sent was cancelled.
    var failure: Failure { error.map { $0 as? Failure ?? .connection(HTTPExchangeFailure($0)) } ?? .cancelled }

    // MARK: The stages

    func run() async {
        do {
            try await exchange()
        } catch {
            self.error = error
            switch operation.reason {
            case .cancelled?: self.error = Failure.cancelled
            case .timedOut(let limit)?: self.error = failure.timedOut(limit.exceeded)
            case nil: break
            }
        }
    }

    private func exchange() async throws {
        let decoder = request.decoder ?? session.configuration.decoder
        let head: HTTPRequest
        let entity: HTTPBodyEntity?
        do {
            (head, entity) = try await request.makeHTTPRequest(
                defaults: session.configuration.headerFields, decoder: decoder)
        } catch {
            throw error is CancellationError ? Failure.cancelled : Failure.request(HTTPExchangeFailure(error))
        }
        let response: ReceivedHTTPResponse
        do {
            response = try await chain.send(head, body: entity, context: context)
        } catch {
            throw classify(error, HTTPExchangeFailure(error, request: head), default: Failure.connection)
        }
        response.body.observe(downloadProgress)
        let content = HTTPResponseContent(
            response, maximumBytes: maximumBytes, decoder: decoder, request: operation.lastRequest ?? head)
        do {
            try await request.validate(content.head)
        } catch {
            throw await refusal(error, head, content)
        }
        do {
            value = try await request.response(from: content)
            self.head = content.head
            content.body.releaseBeginning()
        } catch {
            throw classify(
                error,
                HTTPExchangeFailure(error, request: head, head: content.head, bodyBeginning: content.body.beginning),
                default: Failure.response)
        }
    }

    /// Reads the body of a response that the request does not accept. Whatever happens to the body, the status is kept.
    private func refusal(_ error: any Error, _ head: HTTPRequest, _ content: HTTPResponseContent) async -> Failure {
        guard error is UnacceptableStatus else {
            await content.body.discard()
            return .response(
                HTTPExchangeFailure(error, request: head, head: content.head, bodyBeginning: content.body.beginning))
        }
        var failure: Request.Failure?
        var failureError: (any Error)?
        do { failure = try await request.failure(from: content) } catch { failureError = error }
        return .status(
            HTTPStatusFailure(
                request: head, head: content.head, failure: failure, bodyBeginning: content.body.beginning,
                failureError: failureError))
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
