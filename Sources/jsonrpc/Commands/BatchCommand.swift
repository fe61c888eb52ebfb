// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

struct BatchCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Makes the requests that come on standard input, one JSON object a line.",
        discussion: """
            A line has a method, and may have params and an id. Without an id its answer is labelled with the line's \
            number; with "notification":true it is a notification and has no answer. Requests go out in the order of \
            the lines, answers come out in the order in which they arrive: the response object with the line's label, \
            or, where there was no response,

              {"id":7,"failure":{"kind":"lost","delivery":"not_sent","message":"…"}}

            Kinds: timeout, lost, connect, protocol, cancelled, invalid (the line was no request). Deliveries: \
            not_sent (to repeat the call is safe), outcome_unknown, answered. The exit status is that of the worst \
            line: from bad to worse 1 error object, 4 timeout, 2 invalid, 6 protocol violation, 5 connection lost, \
            3 could not connect.

              seq 1000 | sed 's/.*/{"method":"system.listMethods"}/' | jsonrpc batch --concurrency 1000 URL
            """)

    @Argument(help: "ws://, wss:// or ws+unix://")
    var url: String

    @Option(help: ArgumentHelp("Calls in flight on the one connection.", valueName: "calls"))
    var concurrency = 64

    @Option(help: ArgumentHelp("Send arrays of this many requests (JSON-RPC 2.0 §6).", valueName: "requests"))
    var asBatch: Int?

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    func validate() throws {
        if concurrency < 1 { throw ValidationError("--concurrency is at least 1.") }
        if let asBatch, asBatch < 1 { throw ValidationError("--as-batch is at least 1.") }
    }

    func execute() async throws {
        let status = try await LibrarySession.with(url, connection) { session in
            var input = try StandardInput()
            let run = BatchRun(
                session: session, concurrency: concurrency, arrayLength: asBatch,
                withVersion: connection.version == .two, write: { try OutputStream.standard.write(line: $0) })
            return try await run.run(&input)
        }
        if status != .success { throw Exit(status: status) }
    }
}
