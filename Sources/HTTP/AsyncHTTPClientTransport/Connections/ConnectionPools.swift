// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClient
    import HTTPRequests
    import NIOCore
    import NIOHTTPCompression
    import Synchronization
    import Tracing

    /// The clients of one transport. Each has pools of connections, one for each host.
    ///
    /// In the library, the connect timeout belongs to a client; here, it belongs to a request. So there is one client
    /// for each timeout in use, usually one.
    final class ConnectionPools: Sendable {
        private struct State {
            /// The clients and their connect timeouts. No timeout is stored as the longest duration.
            var entries: [(limit: Duration, client: HTTPClient)] = []
            var isShutDown = false

            /// Returns the client for a limit; `nil` if one has to be made.
            func client(connectLimit limit: Duration) throws -> HTTPClient? {
                if isShutDown {
                    throw HTTPTransportError(.closed, "The transport was shut down.", isRequestUnsent: true)
                }
                if let entry = entries.first(where: { $0.limit == limit }) { return entry.client }
                guard entries.count >= ConnectionPools.maximumClients else { return nil }
                let ordered = entries.sorted { $0.limit < $1.limit }
                return (ordered.first { $0.limit >= limit } ?? ordered.last)?.client
            }
        }

        /// Beyond this number, a request uses the client with the next longer timeout.
        private static let maximumClients = 8

        let configuration: AsyncHTTPClientTransport.Configuration
        private let borrowed: HTTPClient?
        private let isShared: Bool
        private let state = Mutex(State())

        init(configuration: AsyncHTTPClientTransport.Configuration, isShared: Bool) {
            self.configuration = configuration
            self.isShared = isShared
            borrowed = nil
        }

        init(borrowing client: HTTPClient) {
            configuration = AsyncHTTPClientTransport.Configuration()
            isShared = true
            borrowed = client
        }

        deinit {
            // The library traps if a client is released without having been shut down.
            for entry in state.withLock({ $0.entries }) { entry.client.shutdown { _ in } }
        }

        /// Whether the connections report how an exchange failed.
        var reportsFailures: Bool { borrowed == nil }

        /// Whether the connections decompress; `nil` if a program's own client decides.
        var isDecompressing: Bool? { borrowed == nil ? configuration.decompression != nil : nil }

        var decompressedByteLimit: Int64? { borrowed == nil ? configuration.decompression?.maximumBytes : nil }

        var isShutDown: Bool { state.withLock { $0.isShutDown } }

        func client(connectLimit limit: Duration?) throws -> HTTPClient {
            if let borrowed { return borrowed }
            let order = limit ?? .seconds(Int64.max)
            if let client = try state.withLock({ try $0.client(connectLimit: order) }) { return client }
            // Making a client reads certificate files, so it happens outside the lock. If several tasks make one at the
            // same time, the first is kept.
            let made = HTTPClient(configuration: try configuration.clientConfiguration(connectLimit: limit))
            let kept = Result {
                try state.withLock { state in
                    if let client = try state.client(connectLimit: order) { return client }
                    state.entries.append((order, made))
                    return made
                }
            }
            if (try? kept.get()) !== made { made.shutdown { _ in } }
            return try kept.get()
        }

        func shutDown() async {
            guard !isShared else { return }
            let entries = state.withLock { state in
                state.isShutDown = true
                defer { state.entries = [] }
                return state.entries
            }
            for entry in entries {
                await withCheckedContinuation { continuation in
                    // A shutdown fails only if it is repeated, and each client is taken from the state once.
                    entry.client.shutdown { _ in continuation.resume() }
                }
            }
        }
    }

    extension AsyncHTTPClientTransport.Configuration {
        func clientConfiguration(connectLimit: Duration?) throws -> HTTPClient.Configuration {
            var client = HTTPClient.Configuration(redirectConfiguration: .disallow)
            client.tlsConfiguration = try tls.configuration()
            // `nil` would mean 10 seconds.
            client.timeout.connect = connectLimit.map(TimeAmount.init(clamping:)) ?? .hours(24 * 365)
            client.connectionPool.idleTimeout = TimeAmount(clamping: idleConnectionTimeout)
            client.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, connectionsPerHost)
            // Retries happen above the transport. The library would retry a refused connection until the timeout.
            client.connectionPool.retryConnectionEstablishment = false
            client.httpVersion = isHTTP2Enabled ? .automatic : .http1Only
            client.decompression =
                decompression.map { limits in
                    // The library multiplies the ratio by the size of a body, so the ratio is capped.
                    .enabled(limit: limits.maximumRatio.map { .ratio(min(max(1, $0), 1_000_000)) } ?? .none)
                } ?? .disabled
            client.proxy = try proxy?.clientProxy()
            // Otherwise the library would make span attributes for each request, and parse its URL again.
            if client.tracing.tracer is NoOpTracer { client.tracing.tracer = nil }
            let isDecompressing = decompression != nil
            client.http1_1ConnectionDebugInitializer = {
                ExchangeWatch.install(onHTTP1: $0, isDecompressing: isDecompressing)
            }
            client.http2ConnectionDebugInitializer = { StreamCounter.install(on: $0) }
            client.http2StreamChannelDebugInitializer = {
                ExchangeWatch.install(onStream: $0, isDecompressing: isDecompressing)
            }
            return client
        }
    }

    extension AsyncHTTPClientTransport.Proxy {
        /// - Throws: An ``HTTPTransportError`` if the port is out of range. The system would use another port.
        fileprivate func clientProxy() throws -> HTTPClient.Configuration.Proxy {
            guard (1...65_535).contains(port) else {
                throw HTTPTransportError(
                    .invalidRequest, "The port \(port) of the proxy \(host) is not a number from 1 to 65535.",
                    isRequestUnsent: true)
            }
            switch kind {
            case .socks5: return .socksServer(host: host, port: port)
            case .http(nil, _): return .server(host: host, port: port)
            case .http(let user?, let password):
                return .server(host: host, port: port, authorization: .basic(username: user, password: password ?? ""))
            }
        }
    }

    extension TimeAmount {
        /// Clamps to between a millisecond and a year, because the library adds the duration to the current time.
        fileprivate init(clamping duration: Duration) {
            let bounded = Swift.min(Swift.max(duration, .milliseconds(1)), .seconds(365 * 24 * 3600))
            let (seconds, attoseconds) = bounded.components
            self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }
    }
#endif
