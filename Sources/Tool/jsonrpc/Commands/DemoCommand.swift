// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

struct DemoCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a duplex session between a client and a server on this machine.",
        discussion: """
              jsonrpc demo

            Starts a server on a free port of 127.0.0.1, connects a client to it, and prints each step: concurrent \
            calls, notifications, a call from the server to the client, an error object, a cancelled call and a \
            timeout. It takes about a second and needs no network.
            """)

    @OptionGroup var engineOptions: EngineOptions

    func execute() async throws {
        let engine = engineOptions.engine
        try await Demonstration(tell: { try OutputStream.standard.write(line: $0) }, engine: engine).run()
    }
}
