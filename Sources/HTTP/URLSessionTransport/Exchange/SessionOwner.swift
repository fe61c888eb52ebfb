// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
    import HTTPRequests
    import Synchronization

    /// The session of a transport. A session holds on to its delegate until it is invalidated, and this does so at the end.
    final class SessionOwner: Sendable {
        let configuration: URLSessionTransport.Configuration
        private let delegate = SessionDelegate()
        private let session: URLSession
        /// Whether the session was invalidated. A session traps when a task is made after that.
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

        /// Starts an exchange.
        ///
        /// - Throws: An ``HTTPTransportError`` after ``shutDown()``.
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
#endif
