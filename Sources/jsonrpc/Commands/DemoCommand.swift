// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

struct DemoCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Starts a server on loopback, holds a duplex session with it, and tells what happens.")

    func execute() async throws {
        try await Demonstration(tell: { try OutputStream.standard.write(line: $0) }).run()
    }
}
