// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import SessionWorkload

/// The programs whose processor time is measured from outside. Each prints a line with a number when it is ready, and
/// runs until it is killed.
enum Connections {
    /// Listens, and answers `echo`. The limits are raised, because thousands of connections come from one address. The
    /// listener sends no PINGs, because clients that only connect do not answer them.
    static func serve() async throws -> Never {
        var configuration = JSONRPCListener.Configuration()
        configuration.webSocket.maximumConnections = 20_000
        configuration.webSocket.maximumConnectionsPerPeer = 20_000
        configuration.webSocket.connection.pingInterval = nil
        let listener = try await JSONRPCListener.listen(configuration: configuration) { session in
            session.setHandler("echo", SynchronousHandler { $0.params ?? .null })
        }
        try await run("listening on port \(listener.port)", keeping: listener)
    }

    /// Connects clients that make no call, and keeps them connected with the default keepalive.
    static func idle(_ number: Int, to url: String) async throws -> Never {
        var clients: [JSONRPCClient] = []
        for _ in 0..<number { clients.append(try await measuredClient(url: url)) }
        try await run("connected \(number)", keeping: clients)
    }

    private static func run(_ line: String, keeping kept: some Sendable) async throws -> Never {
        // Unbuffered, because the reader of the pipe waits for it.
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
        while true {
            try await Task.sleep(for: .seconds(1 << 20))
            withExtendedLifetime(kept) {}
        }
    }
}
