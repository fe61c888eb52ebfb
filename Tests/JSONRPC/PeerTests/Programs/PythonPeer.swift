// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport

/// One of the programs in `Scripts/peers`. They print their port and end with this process.
enum PythonPeer {
    /// python-lsp-server: a language server.
    static let languageServer = "pylsp_server.py"
    /// A few tools on the official SDK of the Model Context Protocol.
    static let modelContextServer = "mcp_server.py"
    /// Methods of our own over Python's `websockets`.
    static let websockets = "websockets_server.py"

    /// A chain of eth-tester behind a WebSocket. Its arguments are a file, a port, and a number of blocks to mine.
    static let ethereumNode = "ethereum_node.py"

    /// Starts it, and returns when it listens. Use it for a server that is restarted on a port.
    static func start(_ script: String, _ arguments: [String]) async throws -> PeerProcess {
        let python = try PeerProcess(Checkout.python, [Checkout.peerScript(script)] + arguments)
        _ = try await python.line(containing: "listening on port")
        return python
    }

    /// Runs it and passes on its URL.
    static func run<Result>(
        _ script: String, _ arguments: [String] = [],
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ url: String, _ peer: PeerProcess) async throws -> sending Result
    ) async throws -> sending Result {
        let python = try PeerProcess(Checkout.python, [Checkout.peerScript(script)] + arguments)
        return try await withPeer(python, readyLine: "listening on port") { peer, line in
            try await body("ws://127.0.0.1:\(try lastNumber(in: line))/", peer)
        }
    }
}
