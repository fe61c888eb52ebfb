// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

struct CallCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Makes one call and prints its result.",
        discussion: """
            A param is JSON (42, true, '{"a":1}', '"x"'), or a bare word, which is sent as a string. Words of the \
            form name=value make params by name. A param that begins with a dash stands behind --.

              jsonrpc call ws://127.0.0.1:6800/jsonrpc aria2.getVersion
              jsonrpc call ws://127.0.0.1:8080 subtract 42 23
              jsonrpc call ws://127.0.0.1:8080 subtract minuend=42 subtrahend=23
              jsonrpc call ws://127.0.0.1:8080 subtract --params '[42,23]'
            """)

    @Argument(help: "ws://, wss:// or ws+unix://")
    var url: String

    @OptionGroup var request: RequestArguments
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    var formatter: JSONFormatter { output.formatter }

    func execute() async throws {
        let params = try request.params()
        let result = try await LibrarySession.with(url, connection) { session in
            try await session.call(request.method, params: params)
        }
        try OutputStream.standard.write(line: formatter.format(result))
    }
}

struct NotifyCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Sends one notification.",
        discussion: "Ends when it has been sent and the connection closed. What the peer makes of it, nobody learns.")

    @Argument(help: "ws://, wss:// or ws+unix://")
    var url: String

    @OptionGroup var request: RequestArguments
    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    func execute() async throws {
        let params = try request.params()
        try await LibrarySession.with(url, connection) { session in
            try await session.notify(request.method, params: params)
        }
    }
}
