// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession

/// A connector that connects a client to a receiver in the same process.
public struct InMemoryConnector: MessageConnector {
    /// The options of each pair of transports.
    public var configuration: InMemoryTransport.Configuration

    private let accept: @Sendable () async throws -> any MessageReceiver

    /// Makes a connector.
    ///
    /// - Parameters:
    ///   - configuration: The options of each pair of transports.
    ///   - accept: The closure that returns the far end's receiver for each attempt to connect. If it throws,
    ///     connecting throws the same error. While it waits, connecting waits; cancelling the task cancels the attempt.
    public init(
        configuration: InMemoryTransport.Configuration = InMemoryTransport.Configuration(),
        accept: @escaping @Sendable () async throws -> any MessageReceiver
    ) {
        self.configuration = configuration
        self.accept = accept
    }

    /// Makes a pair of transports, and opens the near end with a receiver. A client calls this method.
    ///
    /// - Throws: The error of the `accept` closure, or `CancellationError`.
    public func connect(receiver: any MessageReceiver) async throws {
        let farReceiver = try await accept()
        try Task.checkCancellation()
        let (near, far) = InMemoryTransport.pair(configuration: configuration)
        await far.open(receiver: farReceiver)
        await near.open(receiver: receiver)
    }
}
