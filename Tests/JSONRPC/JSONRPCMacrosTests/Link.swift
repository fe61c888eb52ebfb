// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting

/// A client and a scripted peer.
struct ScriptedLink {
    let client: DuplexSession
    let peer = ScriptedPeer()

    init(_ configuration: SessionConfiguration = SessionConfiguration()) async throws {
        client = DuplexSession(configuration: configuration)
        try await peer.connector.connect(receiver: client.receiver)
    }

    /// Closes the connection without waiting for calls, and checks that the peer got nothing beyond its script.
    func close() async throws {
        await client.close(drain: .zero)
        try peer.expectNothingMore()
    }
}

/// A client and a server, both sessions.
struct ServedLink {
    let client = DuplexSession()
    let server: DuplexSession

    init(_ configuration: SessionConfiguration = SessionConfiguration(), _ services: any RPCServing...) async throws {
        let server = DuplexSession(configuration: configuration)
        self.server = server
        for service in services { server.serve(service) }
        try await InMemoryConnector { server.receiver }.connect(receiver: client.receiver)
    }
}
