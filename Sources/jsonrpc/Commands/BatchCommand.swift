// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

struct BatchCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Send the requests on standard input, one JSON object per line.",
        discussion: """
              seq 1000 | sed 's/.*/{"method":"echo","params":[&]}/' |
                jsonrpc batch ws://127.0.0.1:8080 --concurrency 256

            Each line has a method. It may have params, an id, and extra members such as sessionId, which are sent \
            too. A line with "notification":true is sent as a notification and has no response.

            Requests are sent in the order of the lines. Responses are printed in the order of arrival. Each has the \
            id of its line, or the number of its line if the line has no id. If there is no response, this is printed:

              {"id":7,"failure":{"kind":"lost","delivery":"not_sent","message":"…"}}

              kind      timeout, lost, connect, protocol, cancelled, or invalid
                        (the line is not a valid request)
              delivery  not_sent (a retry is safe), outcome_unknown, or answered

            If the connection is lost, batch stops reading. Standard error then names the first line that was not read.

            The exit status is that of the worst line. From bad to worse: 1 error object, 4 timeout, 2 invalid line, \
            6 protocol violation, 5 connection lost, 3 could not connect.
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @Option(help: ArgumentHelp("Maximum number of calls in flight.", valueName: "calls"))
    var concurrency = 64

    @Option(
        help: ArgumentHelp(
            "Send JSON-RPC batches (arrays) of this many requests. By default each request is sent by itself.",
            valueName: "requests"))
    var asBatch: Int?

    @Flag(help: "Also print the peer's notifications, in the format of 'jsonrpc listen'.")
    var notifications = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var colors: ColorOptions

    func validate() throws {
        if concurrency < 1 { throw ValidationError("--concurrency must be at least 1, not \(concurrency).") }
        if let asBatch, asBatch < 1 { throw ValidationError("--as-batch must be at least 1, not \(asBatch).") }
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

    /// Prints the notifications of a connection until the connection ends.
    private static func print(_ client: JSONRPCClient, to output: LineOutput, withVersion: Bool) -> Attendant {
        // Registered before the client connects, so that no notification is missed.
        let notifications = client.notifications(overflow: .suspend(capacity: 4096, limit: .seconds(10)))
        return Task {
            do {
                for try await element in notifications {
                    try output.write(NotificationText.line(element, withVersion: withVersion))
                }
            } catch {
                // The connection was lost or standard output was closed. The batch itself reports either.
            }
        }
    }
}
