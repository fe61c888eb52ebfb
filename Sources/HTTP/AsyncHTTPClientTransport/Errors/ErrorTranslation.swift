// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClient
    import Glibc
    import HTTPRequests
    import NIOCore
    import NIOHTTP1
    import NIOHTTP2
    import NIOHTTPCompression
    import NIOPosix
    import NIOSSL

    /// Translates the errors of async-http-client and SwiftNIO into those of a transport.
    struct ErrorTranslation: Sendable {
        /// Keeps the connections open while a body is read, even if the transport is released.
        let clients: ConnectionPools
        let connectLimit: Duration?
        /// The host of the request, with its port if the URL has one.
        let authority: String

        func error(for error: any Error, isResponseBegun: Bool) -> any Error {
            switch error {
            case let error as UploadFailure: return error.cause
            case is CancellationError, is HTTPTransportError: return error
            case let failure as ExchangeFailure where !isResponseBegun:
                if let cause = failure.cause, failure.isRefused || isRefusal(cause) { return notTaken(cause) }
                guard let cause = failure.cause, !isEndOfConnection(cause) else {
                    return HTTPTransportError(
                        .connectionLost, "The connection ended before a response.",
                        wasConnectionStale: failure.isConnectionReused, underlying: failure.cause)
                }
                return translate(cause, isConnecting: false)
            case let failure as ExchangeFailure:
                return translate(failure.cause ?? HTTPClientError.remoteConnectionClosed, isConnecting: false)
            default:
                return translate(error, isConnecting: !isResponseBegun && clients.reportsFailures)
            }
        }

        /// - Parameter isConnecting: Whether the error comes from a connection that was not yet established. Errors of
        ///   established connections are ``ExchangeFailure``s.
        private func translate(_ error: any Error, isConnecting: Bool) -> any Error {
            switch error {
            case let error as HTTPTransportError: error
            case let error as HTTPClientError: translate(error, isConnecting: isConnecting)
            case HTTPParserError.invalidEOFState:
                failure(.connectionLost, "The connection ended before the response was complete.", error)
            case is HTTPParserError:
                failure(.protocolViolation, "The server sent something that is not HTTP: \(error).", error)
            case let error as NIOConnectionError:
                unsent(
                    .cannotConnect, "Could not connect to \(error.host):\(error.port): \(Self.reason(of: error)).",
                    error)
            case is SocketAddressError: unsent(.cannotConnect, "Could not resolve the host's name: \(error).", error)
            // The pool chose a connection that had just ended.
            case ChannelError.ioOnClosedChannel where isConnecting: notTaken(error)
            case ChannelError.connectTimeout: timedOut("The connection to \(server) was not established", error)
            case NIOSSLError.uncleanShutdown:
                failure(.connectionLost, "The connection ended without the closing message of TLS.", error)
            case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
                failure(
                    .secureConnectionFailed, "The TLS connection failed: \(error).", error, isUnsent: isConnecting)
            case let error as NIOHTTPDecompression.DecompressionError where error == .limit:
                failure(
                    .bodyTooLarge,
                    "The body grew by more than the factor \(ratio) when it was decompressed. The option "
                        + "`decompression.maximumRatio` raises this.", error)
            case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
                failure(.protocolViolation, "Could not decompress the body: \(error).", error)
            case let error as IOError: translate(error, isConnecting: isConnecting)
            case let error as NIOHTTP2Errors.StreamError: translate(error.baseError, isConnecting: isConnecting)
            case let error as NIOHTTP2Errors.StreamClosed:
                failure(
                    .connectionLost, "The stream was reset with the HTTP/2 error code \(error.errorCode.networkCode).",
                    error)
            default: failure(.connectionLost, "The connection failed: \(error).", error)
            }
        }

        private func translate(_ error: HTTPClientError, isConnecting: Bool) -> HTTPTransportError {
            switch error {
            case .alreadyShutdown: unsent(.closed, "The transport was shut down.", error)
            case .connectTimeout: timedOut("The connection to \(server) was not established", error)
            case .tlsHandshakeTimeout: timedOut("The TLS handshake with \(server) was not completed", error)
            case .socksHandshakeTimeout, .httpProxyHandshakeTimeout: timedOut("\(proxy) did not connect", error)
            case .getConnectionFromPoolTimeout:
                timedOut(
                    "None of \(clients.configuration.connectionsPerHost) connections (`connectionsPerHost`) was free",
                    error)
            case .proxyAuthenticationRequired:
                unsent(
                    .cannotConnect, "\(proxy) refused to connect to \(server): it answered with the status 407.",
                    error)
            // The library does not tell the status.
            case .invalidProxyResponse:
                unsent(
                    .cannotConnect,
                    "\(proxy) refused to connect to \(server): it did not answer with 2xx and no body.", error)
            case .remoteConnectionClosed where isConnecting:
                unsent(.cannotConnect, "The connection ended before the request was sent.", error)
            case .remoteConnectionClosed:
                failure(.connectionLost, "The connection ended before the response was complete.", error)
            case .cancelled where clients.isShutDown: failure(.closed, "The transport was shut down.", error)
            // The pool chose an HTTP/2 connection that the server is ending.
            case .cancelled where isConnecting && !Task.isCancelled: notTaken(error)
            case .cancelled: failure(.connectionLost, "The exchange was ended by the client.", error)
            case .readTimeout, .writeTimeout, .deadlineExceeded:
                failure(.timedOut, "A time limit of the client was exceeded: \(error.shortDescription).", error)
            default: unsent(.invalidRequest, "The request cannot be sent: \(error.shortDescription).", error)
            }
        }

        private func translate(_ error: IOError, isConnecting: Bool) -> HTTPTransportError {
            let isRefused = [ECONNREFUSED, ENOENT, EHOSTUNREACH, ENETUNREACH, EACCES].contains(error.errnoCode)
            guard isConnecting || isRefused else {
                return failure(.connectionLost, "The connection was lost: \(Self.text(error)).", error)
            }
            return unsent(.cannotConnect, "Could not connect to \(server): \(Self.text(error)).", error)
        }

        private func failure(
            _ code: HTTPTransportError.Code, _ reason: String, _ error: any Error, isUnsent: Bool = false
        ) -> HTTPTransportError {
            HTTPTransportError(code, reason, isRequestUnsent: isUnsent, underlying: error)
        }

        private func unsent(
            _ code: HTTPTransportError.Code, _ reason: String, _ error: any Error
        ) -> HTTPTransportError {
            failure(code, reason, error, isUnsent: true)
        }

        private func timedOut(_ what: String, _ error: any Error) -> HTTPTransportError {
            unsent(.timedOut, "\(what)\(connectLimit.map { " within \($0)" } ?? "").", error)
        }

        private var ratio: String {
            clients.configuration.decompression?.maximumRatio.map { "\($0)" } ?? "that is allowed"
        }

        /// The proxy, for the beginning of a sentence. That of a program's own client is not known.
        private var proxy: String {
            clients.configuration.proxy.map { "The proxy \($0.host):\($0.port)" } ?? "The proxy"
        }

        /// The authority. The URL may end its host with a colon and have no port.
        private var server: Substring { authority.hasSuffix(":") ? authority.dropLast() : authority[...] }

        private func notTaken(_ error: any Error) -> HTTPTransportError {
            let isSurplus = error is HTTPParserError || error is NIOHTTPDecoderError
            return HTTPTransportError(
                .connectionLost,
                "The connection ended before it took the request"
                    + (isSurplus ? ", because the server sent something without a request." : "."),
                isRequestUnsent: true, wasConnectionStale: true, underlying: error)
        }

        /// Whether the server refused the stream of a request without processing it (RFC 9113 §8.7).
        private func isRefusal(_ error: any Error) -> Bool {
            switch error {
            case let error as NIOHTTP2Errors.StreamClosed: error.errorCode == .refusedStream
            case is NIOHTTP2Errors.CreatedStreamAfterGoaway: true
            case let error as NIOHTTP2Errors.StreamError: isRefusal(error.baseError)
            default: false
            }
        }

        /// Whether an error means that the server closed the connection while a request was being sent.
        private func isEndOfConnection(_ error: any Error) -> Bool {
            switch error {
            case let error as IOError: [ECONNRESET, EPIPE, ENOTCONN].contains(error.errnoCode)
            case let error as ChannelError: error == .ioOnClosedChannel || error == .eof || error == .alreadyClosed
            case is NIOHTTP2Errors.StreamClosed, is NIOHTTP2Errors.IOOnClosedConnection: true
            case let error as HTTPClientError: error == .remoteConnectionClosed
            default: false
            }
        }

        private static func reason(of error: NIOConnectionError) -> String {
            if let failure = error.connectionErrors.first {
                return (failure.error as? IOError).map(text) ?? "\(failure.error)"
            }
            return (error.dnsAError ?? error.dnsAAAAError).map { "\($0)" } ?? "no address"
        }

        /// The system's text for an error, such as `Connection refused`.
        private static func text(_ error: IOError) -> String { String(cString: strerror(error.errnoCode)) }
    }
#endif
