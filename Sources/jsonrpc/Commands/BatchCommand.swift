// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

struct BatchCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Make the requests that come on standard input, one JSON object a line.",
        discussion: """
              seq 1000 | sed 's/.*/{"method":"system.listMethods"}/' | jsonrpc batch --concurrency 1000 URL

            A line has a method, and may have params, an id, and extra members such as a sessionId, which are sent with \
            the request. Without an id its answer is labelled with the line's number; with "notification":true it is a \
            notification and has no answer. Requests go out in the order of the lines, answers come out in the order in \
            which they arrive: the response object with the line's label, or, where there was no response,

              {"id":7,"failure":{"kind":"lost","delivery":"not_sent","message":"…"}}

            Kinds: timeout, lost, connect, protocol, cancelled, invalid (the line was no request). Deliveries: \
            not_sent (to repeat the call is safe), outcome_unknown, answered. When the connection is lost, no more \
            lines are read, and standard error names the first that was not. The exit status is that of the worst \
            line: from bad to worse 1 error object, 4 timeout, 2 invalid, 6 protocol violation, 5 connection lost, \
            3 could not connect.
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @Option(help: ArgumentHelp("Calls in flight on the one connection.", valueName: "calls"))
    var concurrency = 64

    @Option(help: ArgumentHelp("Send arrays of this many requests (JSON-RPC 2.0 §6).", valueName: "requests"))
    var asBatch: Int?

    @Flag(help: "Also print the notifications that the peer sends meanwhile, as the command listen does.")
    var notifications = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var colors: ColorOptions

    func validate() throws {
        if concurrency < 1 { throw ValidationError("--concurrency is at least 1.") }
        if let asBatch, asBatch < 1 { throw ValidationError("--as-batch is at least 1.") }
    }

    func execute() async throws {
        let output = LineOutput(formatter: colors.formatter(.compact))
        let withVersion = connection.version == .two
        let status = try await LibrarySession.with(
            url, connection,
            prepare: { client in
                notifications ? [Self.print(client, to: output, withVersion: withVersion)] : []
            },
            body: { session in
                var input = try StandardInput()
                let run = BatchRun(
                    session: session, concurrency: concurrency, arrayLength: asBatch, withVersion: withVersion,
                    write: { try output.write($0) })
                return try await run.run(&input)
            })
        if status != .success { throw Exit(status: status) }
    }

    /// Prints the notifications of a connection to its end.
    private static func print(_ client: JSONRPCClient, to output: LineOutput, withVersion: Bool) -> Attendant {
        // Registered before there is a connection, so that nothing the peer says is missed.
        let notifications = client.notifications(overflow: .suspend(capacity: 4096, limit: .seconds(10)))
        return Task {
            do {
                for try await element in notifications {
                    try output.write(NotificationText.line(element, withVersion: withVersion))
                }
            } catch {
                // The connection was lost, or nobody reads the output any more: the batch ends with that.
            }
        }
    }
}
