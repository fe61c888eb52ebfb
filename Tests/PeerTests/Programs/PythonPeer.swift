// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport

/// One of the programs in `Scripts/peers`, which say on which port they listen and end with this process.
enum PythonPeer {
    /// python-lsp-server: a language server.
    static let languageServer = "pylsp_server.py"
    /// A few tools on the official SDK of the Model Context Protocol.
    static let modelContextServer = "mcp_server.py"
    /// Methods of our own over Python's `websockets`.
    static let websockets = "websockets_server.py"

    /// Runs it and gives its URL.
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
