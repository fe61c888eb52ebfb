// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import HTTPRequests
    public import HTTPTypes
    import NIOCore

    /// A transport over async-http-client and SwiftNIO, with HTTP/1.1, HTTP/2 over `https`, connection pools, and
    /// decompression.
    ///
    /// Copies of a transport share its connections. ``shared`` serves most programs. A transport of your own ends with
    /// ``shutDown()``, or when its last copy and the last body of its responses are released.
    ///
    /// A decompressed response has neither `Content-Encoding` nor `Content-Length`. For a Unix domain socket, use the
    /// scheme `http+unix` or `https+unix` and the percent-encoded path of the socket as the authority.
    ///
    /// Redirects are not followed, and no request is processed twice. If an ending connection certainly did not process
    /// a request (RFC 9112 §9.3.1, RFC 9113 §8.7), the request is sent over another connection, at most 16 times, if
    /// its body is replayable. Once the response was read to its end, the rest of the request is not sent. `connect` is
    /// the only time limit that the transport enforces; ``Configuration/connectionsPerHost`` says what counts towards
    /// it. If a server sends anything on a connection without a request, the connection is closed. A request fails
    /// after 256 informational responses (1xx).
    ///
    /// For a body in memory of at most 16 KiB, `HTTPRequestContext.uploadProgress` is called once, with the head of the
    /// response. If a tracer of swift-distributed-tracing is installed before the first request, each request is a
    /// span.
    public struct AsyncHTTPClientTransport: HTTPTransport {
        /// The transport with the default configuration, for the whole process. It is never shut down.
        public static let shared = AsyncHTTPClientTransport(
            clients: ConnectionPools(configuration: Configuration(), isShared: true))

        private let clients: ConnectionPools

        private init(clients: ConnectionPools) { self.clients = clients }

        /// Makes a transport with connections of its own. Connections are made when requests need them.
        public init(configuration: Configuration = Configuration()) {
            self.init(clients: ConnectionPools(configuration: configuration, isShared: false))
        }

        /// Makes a transport over a client that the program configures and shuts down.
        ///
        /// Configure the client not to follow redirects. The connect timeout of the client applies, not that of a
        /// request. `HTTPTransportError.wasConnectionStale` is always `false`, because the client does not report it.
        public init(client: HTTPClient) { self.init(clients: ConnectionPools(borrowing: client)) }

        /// Closes all connections. Requests in flight fail, and later requests fail with
        /// `HTTPTransportError.Code.closed`. It has no effect on ``shared`` or over a program's own client.
        public func shutDown() async { await clients.shutDown() }

        /// How often a request may move to another connection because the previous one was ending and did not take it.
        /// Without a limit, a server that refuses all streams would be asked forever.
        private static let mostReplacements = 16

        public func send(
            _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
        ) async throws -> ReceivedHTTPResponse {
            var replacements = 0
            while true {
                do {
                    return try await exchange(request, body: body, context: context)
                } catch let error as HTTPTransportError where error.isRequestUnsent && error.wasConnectionStale {
                    guard replacements < Self.mostReplacements, body?.isReplayable ?? true, !Task.isCancelled else {
                        throw error
                    }
                    replacements += 1
                }
            }
        }

        private func exchange(
            _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
        ) async throws -> ReceivedHTTPResponse {
            var message = try HTTPClientRequest(request)
            let client = try clients.client(connectLimit: context.timeouts.connect)
            var upload: Upload?
            if let body { upload = try await Upload.begin(body, in: &message, progress: context.uploadProgress) }
            let translation = ErrorTranslation(
                clients: clients, connectLimit: context.timeouts.connect, authority: request.authority ?? "")
            do {
                let answer = try await client.execute(message, deadline: .distantFuture)
                if let progress = context.uploadProgress, case .bytes(let bytes)? = body?.content,
                    upload == nil, !bytes.isEmpty
                {
                    progress(HTTPProgress(completedBytes: Int64(bytes.count), totalBytes: Int64(bytes.count)))
                }
                let (head, isDecompressed) = try HTTPResponse.read(answer, isDecompressing: clients.isDecompressing)
                let source = ResponseBody(
                    answer.body, upload: upload, translation: translation,
                    limit: isDecompressed ? clients.decompressedByteLimit : nil)
                let length = isDecompressed ? nil : answer.announcedLength(toMethod: request.method)
                return ReceivedHTTPResponse(head, body: HTTPByteStream(source, length: length), facts: answer.facts)
            } catch {
                upload?.cancel()
                throw translation.error(for: error, isResponseBegun: false)
            }
        }
    }
#endif
