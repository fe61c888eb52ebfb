// swift-jsonrpc · SPDX-License-Identifier: MIT

#if ServiceLifecycle
    public import JSONRPCWebSocket
    public import ServiceLifecycle

    /// A client as a service of a `ServiceGroup`.
    ///
    /// ```swift
    /// let listening = JSONRPCListenerService(listener)
    /// let calling = JSONRPCClientService(client, shutDownTimeout: .seconds(5))
    /// let group = ServiceGroup(
    ///     services: [listening, calling], gracefulShutdownSignals: [.sigterm], logger: logger)
    /// try await group.run()
    /// ```
    ///
    /// The service connects the client if it is not connected. It fails if the client cannot connect, or loses its
    /// connection and does not reconnect: see `ReconnectPolicy`. When the group shuts down gracefully, the client
    /// accepts no new calls, calls in flight can end, and the connection is closed with the code 1001. If the service
    /// is cancelled, the client is closed in the same way as by `JSONRPCClient.run()`.
    public struct JSONRPCClientService: Service {
        private let client: JSONRPCClient
        private let shutDownTimeout: Duration

        /// Makes a service.
        ///
        /// - Parameters:
        ///   - client: The client. It must not have been closed.
        ///   - shutDownTimeout: The limit for a graceful shutdown, in addition to the limits of `SessionConfiguration`.
        ///     Afterwards the connection is closed without waiting. The default is 10 seconds.
        public init(_ client: JSONRPCClient, shutDownTimeout: Duration = .seconds(10)) {
            self.client = client
            self.shutDownTimeout = shutDownTimeout
        }

        /// Runs the client until the group shuts down.
        ///
        /// - Throws: A `ClientError` if the client cannot connect or loses its connection for good.
        public func run() async throws {
            try await withGracefulShutdownHandler {
                do {
                    try await client.run()
                } catch let error as ClientError where error.code == .closed && Task.isShuttingDownGracefully {
                    // The shutdown has ended an attempt to connect.
                }
            } onGracefulShutdown: {
                Task { await close() }
            }
        }

        private func close() async {
            let cutter = Task {
                try await ContinuousClock().sleep(for: shutDownTimeout)
                client.closeNow(code: 1001)
            }
            await client.close(code: 1001)
            cutter.cancel()
        }
    }

    /// A listener as a service of a `ServiceGroup`.
    ///
    /// When the group shuts down gracefully, the listener stops listening, calls in progress can end, and all sessions
    /// are closed with the code 1001: see `JSONRPCListener.shutDown(within:)`.
    public struct JSONRPCListenerService: Service {
        private let listener: JSONRPCListener
        private let shutDownTimeout: Duration

        /// Makes a service. The default of `shutDownTimeout`, the limit for a shutdown, is 10 seconds.
        public init(_ listener: JSONRPCListener, shutDownTimeout: Duration = .seconds(10)) {
            self.listener = listener
            self.shutDownTimeout = shutDownTimeout
        }

        /// Runs until the group shuts down, or the listener has stopped and its last session has ended.
        public func run() async throws {
            await withGracefulShutdownHandler {
                await listener.run(shutDownTimeout: shutDownTimeout)
            } onGracefulShutdown: {
                Task { await listener.shutDown(within: shutDownTimeout) }
            }
        }
    }
#endif
