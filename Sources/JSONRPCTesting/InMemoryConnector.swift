// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession

/// Connects a client to something in the same process.
public struct InMemoryConnector: MessageConnector {
    /// What each pair is made with.
    public var configuration: InMemoryTransport.Configuration

    private let accept: @Sendable () async throws -> any MessageReceiver

    /// Makes a connector.
    ///
    /// - Parameters:
    ///   - configuration: what each pair is made with.
    ///   - accept: is asked at each attempt for the far end's receiver. When it throws, so does the attempt; when it
    ///     waits, so does the attempt, which is given up by cancelling the task.
    public init(
        configuration: InMemoryTransport.Configuration = InMemoryTransport.Configuration(),
        accept: @escaping @Sendable () async throws -> any MessageReceiver
    ) {
        self.configuration = configuration
        self.accept = accept
    }

    public func connect(receiver: any MessageReceiver) async throws {
        let farReceiver = try await accept()
        try Task.checkCancellation()
        let (near, far) = InMemoryTransport.pair(configuration: configuration)
        await far.open(receiver: farReceiver)
        await near.open(receiver: receiver)
    }
}
