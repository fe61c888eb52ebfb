// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import HTTPRequests
import HTTPTypes
import Synchronization
import TaskWaits

/// The session of a transport. A session retains its delegate until it is invalidated, so this object invalidates
/// it at the end.
final class SessionOwner: Sendable {
    let configuration: URLSessionTransport.Configuration
    private let delegate = SessionDelegate()
    private let session: URLSession
    /// Whether the session was invalidated. A session traps if a task is made after that.
    private let isInvalid = Mutex(false)

    init(_ configuration: URLSessionTransport.Configuration) {
        self.configuration = configuration
        let options = URLSessionConfiguration.ephemeral
        options.httpCookieStorage = nil
        options.httpCookieAcceptPolicy = .never
        options.httpShouldSetCookies = false
        options.urlCache = nil
        options.requestCachePolicy = .reloadIgnoringLocalCacheData
        options.urlCredentialStorage = nil
        options.httpMaximumConnectionsPerHost = max(1, configuration.connectionsPerHost)
        session = URLSession(configuration: options, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        if !isInvalid.withLock({ $0 }) { session.finishTasksAndInvalidate() }
    }

    /// Starts an exchange. Throws an ``HTTPTransportError`` after ``shutDown()``.
    func start(_ message: OutgoingMessage, _ exchange: Exchange) throws {
        let task = try isInvalid.withLock { isInvalid -> URLSessionTask in
            if isInvalid {
                throw HTTPTransportError(.closed, "The transport was shut down.", isRequestUnsent: true)
            }
            let task =
                message.file.map { session.uploadTask(with: message.request, fromFile: $0) }
                ?? session.dataTask(with: message.request)
            delegate.add(exchange, for: task)
            return task
        }
        guard exchange.begin(task) else { return delegate.remove(task) }
        task.resume()
    }

    func shutDown() async {
        let isFirst = isInvalid.withLock { isInvalid in
            defer { isInvalid = true }
            return !isInvalid
        }
        if isFirst {
            delegate.failAll(with: HTTPTransportError(.closed, "The transport was shut down."))
            session.finishTasksAndInvalidate()
        }
        await delegate.invalidation()
    }
}

/// Passes each event of a session to its exchange. The session calls it on a queue of its own.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: Exchange]>([:])
    private let invalidated = OneTimeSignal()

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func remove(_ task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = nil }
        task.cancel()
    }

    func failAll(with error: any Error) {
        for exchange in exchanges.withLock({ Array($0.values) }) { exchange.cancel(with: error) }
    }

    /// Waits until the session has released everything, even if the task is cancelled.
    func invalidation() async { await Task { [invalidated] in try? await invalidated.wait() }.value }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    // MARK: Events

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        defer { completionHandler(.allow) }
        // The session reports informational responses as if they were final (RFC 9110 §15.2).
        guard let response = response as? HTTPURLResponse else { return }
        if (100...199).contains(response.statusCode) {
            exchange(of: dataTask)?.receiveInformationalResponse()
            return
        }
        receive(response, of: dataTask)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.reportSent(totalBytesSent, of: totalBytesExpectedToSend)
    }

    /// After a reused connection has ended, libcurl sends the head again and asks for the body once more. The
    /// session cannot provide a body from memory again, and without one libcurl would wait forever.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        if let exchange = exchange(of: task) {
            // This runs on libcurl's queue, where a task cannot be cancelled.
            session.delegateQueue.addOperation {
                exchange.cancel(
                    with: HTTPTransportError(
                        .connectionLost, "The connection ended before a response.", wasConnectionStale: true))
            }
        }
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // The session asks when the whole response has arrived. Without credentials it would wait forever, and a
        // refusal would turn the response into an error.
        complete(task, error: nil)
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        complete(task, error: error)
    }

    private func complete(_ task: URLSessionTask, error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
            return
        }
        if let error { return exchange.complete(.failure(HTTPTransportError(urlSessionError: error))) }
        // A redirect without a usable `Location` ends without any other event.
        if let response = task.response as? HTTPURLResponse {
            guard response.statusCode >= 200, let head = Exchange.Head(response, of: task) else {
                return exchange.complete(.failure(Self.badStatus(of: response)))
            }
            exchange.receive(head)
        }
        exchange.complete(.success(()))
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        invalidated.fulfil()
    }

    private func receive(_ response: HTTPURLResponse, of task: URLSessionTask) {
        guard let exchange = exchange(of: task) else { return }
        if let head = Exchange.Head(response, of: task) { return exchange.receive(head) }
        exchange.cancel(with: Self.badStatus(of: response))
    }

    private static func badStatus(of response: HTTPURLResponse) -> HTTPTransportError {
        HTTPTransportError(.protocolViolation, "The server sent the status \(response.statusCode).")
    }
}

extension Exchange.Head {
    /// Content codings that libcurl removes.
    private static let codings: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    /// Converts a head; `nil` if its status is not a number of three digits.
    fileprivate init?(_ response: HTTPURLResponse, of task: URLSessionTask) {
        guard (100...999).contains(response.statusCode) else { return nil }
        var fields = HTTPFields()
        for case (let name as String, let value as String) in response.allHeaderFields {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        let isBodiless =
            task.originalRequest?.httpMethod == "HEAD" || response.statusCode == 204 || response.statusCode == 304
        length = isBodiless ? 0 : fields[.contentLength].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
        if let coding = fields[.contentEncoding]?.lowercased(), Self.codings.contains(coding) {
            fields[.contentEncoding] = nil
            if !isBodiless {
                fields[.contentLength] = nil
                length = nil
            }
        }
        self.response = HTTPResponse(status: .init(code: response.statusCode), headerFields: fields)
    }
}
