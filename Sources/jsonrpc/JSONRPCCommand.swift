// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

@main
struct JSONRPCCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jsonrpc", abstract: "Speaks JSON-RPC 2.0 over WebSocket.")
}
