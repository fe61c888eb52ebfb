// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP
import ToolSupport

#if AsyncHTTPClient
    import AsyncHTTPClientTransport
    import WebSocket
#else
    import URLSessionTransport
#endif

/// The transport that sends HTTP requests in this build. The package trait `AsyncHTTPClient` decides.
enum HTTPSender {
    #if AsyncHTTPClient
        /// The name in the output of `--version`.
        static let name = "AsyncHTTPClient"
        /// Sentences for `--help` about the limits of this build; `nil` for none.
        static let caution: String? = nil
        /// Whether `--cacert`, `--cert` and `--key` work over HTTP.
        static let hasCertificateOptions = true

        static func transport(
            to target: HTTPTarget, _ options: ConnectionOptions, connections: Int
        ) throws -> any HTTPTransport {
            var configuration = AsyncHTTPClientTransport.Configuration()
            configuration.connectionsPerHost = connections
            configuration.decompression?.maximumBytes = Int64(options.maxMessageSize)
            if let cacert = options.cacert { configuration.tls.trust = .only(file: cacert) }
            if let cert = options.cert, let key = options.key {
                configuration.tls.identity = .init(certificateChainFile: cert, privateKeyFile: key)
            }
            configuration.tls.isInsecure = options.insecure
            configuration.proxy = target.proxy.map { proxy in
                .http(
                    host: proxy.host.lookUpName, port: Int(proxy.port), user: proxy.credentials?.user,
                    password: proxy.credentials?.password)
            }
            return AsyncHTTPClientTransport(configuration: configuration)
        }

        /// Returns the options that this build cannot honour over HTTP.
        static func unsupported(_ options: ConnectionOptions) -> [String] { [] }
    #else
        static let name = "URLSession"
        static let caution: String? = """
            This build sends HTTP requests with URLSession, because it was built without the package trait \
            AsyncHTTPClient. A response that has trailers, or that ends within its head, ends the process: use it with \
            trusted servers only. --cacert, --cert, --insecure and --proxy work with WebSocket URLs only, and \
            --connect-timeout has no effect over HTTP.
            """
        static let hasCertificateOptions = false

        static func transport(
            to target: HTTPTarget, _ options: ConnectionOptions, connections: Int
        ) throws -> any HTTPTransport {
            var configuration = URLSessionTransport.Configuration()
            configuration.connectionsPerHost = connections
            configuration.maximumBufferedBytes = options.maxMessageSize
            return URLSessionTransport(configuration: configuration)
        }

        static func unsupported(_ options: ConnectionOptions) -> [String] {
            [
                ("--cacert", options.cacert != nil), ("--cert", options.cert != nil),
                ("--insecure", options.insecure), ("--proxy", options.proxy != nil),
            ].filter(\.1).map(\.0)
        }
    #endif
}

extension ConnectionOptions {
    /// Checks that the options have a meaning over HTTP, and that the files of certificates can be read.
    func checkForHTTP() throws {
        let webSocketOnly = [
            ("--subprotocol", !socket.subprotocols.isEmpty), ("--ping-interval", socket.pingIntervalOption != nil),
            ("--ping-timeout", socket.pingTimeoutOption != nil), ("--no-coalescing", socket.noCoalescing),
            ("--compression", socket.compression), ("--answer", !answers.isEmpty),
            ("--servername", socket.servername != nil), ("--engine", socket.engineOptions.name != nil),
        ].filter(\.1).map(\.0)
        guard webSocketOnly.isEmpty else {
            throw UsageError(
                "\(webSocketOnly.joined(separator: ", ")) cannot be used with an HTTP URL, only with a WebSocket URL.")
        }
        let unsupported = HTTPSender.unsupported(self)
        guard unsupported.isEmpty else {
            throw UsageError(
                "\(unsupported.joined(separator: ", ")) cannot be used with an HTTP URL, because this jsonrpc sends "
                    + "HTTP requests with \(HTTPSender.name). Build it with the package trait AsyncHTTPClient.")
        }
        try socket.checkCertificateFiles()
    }
}
