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
        /// Kept, so that the connections outlive the transport while a body is read.
        let clients: ConnectionPools
        let connectLimit: Duration?
        /// The host of the request, with its port if the URL has one.
        let authority: String

        /// Returns the error that a caller gets.
        ///
        /// - Parameter isResponseBegun: Whether the head of the response has arrived.
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

        /// - Parameter isConnecting: Whether the error is known to come from a connection that was not yet established. The
        ///   errors of established ones come as an ``ExchangeFailure``.
        private func translate(_ error: any Error, isConnecting: Bool) -> any Error {
            switch error {
            case let error as HTTPTransportError: error
            case let error as HTTPClientError: translate(error, isConnecting: isConnecting)
            case let error as HTTPParserError: translate(error)
            case let error as NIOConnectionError:
                HTTPTransportError(
                    .cannotConnect, "Could not connect to \(error.host):\(error.port): \(Self.reason(of: error)).",
                    isRequestUnsent: true, underlying: error)
            case is SocketAddressError:
                HTTPTransportError(
                    .cannotConnect, "Could not resolve the host's name: \(error).", isRequestUnsent: true,
                    underlying: error)
            // The pool chose a connection that had just ended.
            case ChannelError.ioOnClosedChannel where isConnecting: notTaken(error)
            case ChannelError.connectTimeout:
                timedOut("The connection to \(authority) was not established", error)
            case NIOSSLError.uncleanShutdown:
                HTTPTransportError(
                    .connectionLost, "The connection ended without the closing message of TLS.", underlying: error)
            case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
                HTTPTransportError(
                    .secureConnectionFailed, "The TLS connection failed: \(error).", isRequestUnsent: isConnecting,
                    underlying: error)
            case let error as NIOHTTPDecompression.DecompressionError where error == .limit:
                HTTPTransportError(
                    .bodyTooLarge,
                    "The body grew by more than the factor \(ratio) when it was decompressed. The option "
                        + "`decompression.maximumRatio` raises this.", underlying: error)
            case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
                HTTPTransportError(.protocolViolation, "Could not decompress the body: \(error).", underlying: error)
            case let error as IOError: translate(error, isConnecting: isConnecting)
            default:
                HTTPTransportError(.connectionLost, "The connection failed: \(error).", underlying: error)
            }
        }

        private func translate(_ error: HTTPClientError, isConnecting: Bool) -> HTTPTransportError {
            switch error {
            case .alreadyShutdown:
                HTTPTransportError(.closed, "The transport was shut down.", isRequestUnsent: true, underlying: error)
            case .connectTimeout: timedOut("The connection to \(authority) was not established", error)
            case .tlsHandshakeTimeout: timedOut("The TLS handshake with \(authority) was not completed", error)
            case .socksHandshakeTimeout, .httpProxyHandshakeTimeout: timedOut("The proxy did not connect", error)
            case .getConnectionFromPoolTimeout:
                timedOut(
                    "None of \(clients.configuration.connectionsPerHost) connections (`connectionsPerHost`) was free",
                    error)
            case .proxyAuthenticationRequired, .invalidProxyResponse:
                HTTPTransportError(
                    .cannotConnect, "The proxy refused to connect: \(error.shortDescription).", isRequestUnsent: true,
                    underlying: error)
            case .remoteConnectionClosed:
                HTTPTransportError(
                    isConnecting ? .cannotConnect : .connectionLost,
                    isConnecting
                        ? "The connection ended before the request was sent."
                        : "The connection ended before the response was complete.",
                    isRequestUnsent: isConnecting, underlying: error)
            case .cancelled where clients.isShutDown:
                HTTPTransportError(.closed, "The transport was shut down.", underlying: error)
            // The pool chose an HTTP/2 connection that the server is ending.
            case .cancelled where isConnecting && !Task.isCancelled: notTaken(error)
            case .cancelled:
                HTTPTransportError(.connectionLost, "The exchange was ended by the client.", underlying: error)
            case .readTimeout, .writeTimeout, .deadlineExceeded:
                HTTPTransportError(
                    .timedOut, "A time limit of the client was exceeded: \(error.shortDescription).", underlying: error)
            default:
                HTTPTransportError(
                    .invalidRequest, "The request cannot be sent: \(error.shortDescription).", isRequestUnsent: true,
                    underlying: error)
            }
        }

        private func translate(_ error: HTTPParserError) -> HTTPTransportError {
            switch error {
            case .invalidEOFState:
                HTTPTransportError(
                    .connectionLost, "The connection ended before the response was complete.", underlying: error)
            default:
                HTTPTransportError(
                    .protocolViolation, "The server sent something that is not HTTP: \(error).", underlying: error)
            }
        }

        private func translate(_ error: IOError, isConnecting: Bool) -> HTTPTransportError {
            let isRefused = [ECONNREFUSED, ENOENT, EHOSTUNREACH, ENETUNREACH, EACCES].contains(error.errnoCode)
            guard isConnecting || isRefused else {
                return HTTPTransportError(.connectionLost, "The connection was lost: \(error).", underlying: error)
            }
            return HTTPTransportError(
                .cannotConnect, "Could not connect to \(authority): \(Self.text(error)).", isRequestUnsent: true,
                underlying: error)
        }

        private func timedOut(_ what: String, _ error: any Error) -> HTTPTransportError {
            let limit = connectLimit.map { " within \($0)" } ?? ""
            return HTTPTransportError(.timedOut, "\(what)\(limit).", isRequestUnsent: true, underlying: error)
        }

        private var ratio: String {
            clients.configuration.decompression?.maximumRatio.map { "\($0)" } ?? "that is allowed"
        }

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

        /// Whether an error is how a connection ends that the server has closed while a request was on its way.
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
