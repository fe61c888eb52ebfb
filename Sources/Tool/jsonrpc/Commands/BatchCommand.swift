// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import ToolSupport

struct BatchCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Send the requests on standard input, one JSON object per line.",
        discussion: """
              seq 1000 | sed 's/.*/{"method":"echo","params":[&]}/' |
                jsonrpc batch ws://127.0.0.1:8080 --concurrency 256
              seq 1000 | sed 's/.*/{"method":"system.listMethods"}/' |
                jsonrpc batch http://127.0.0.1:6800/jsonrpc --as-batch 50 --window 10ms

            Each line has a method. It may have params, an id, and extra members such as sessionId, which are sent \
            too. A line with "notification":true is sent as a notification and has no response.

            Requests are sent in the order of the lines. Responses are printed in the order of arrival. Each has the \
            id of its line, or the number of its line if the line has no id. So give an id to all lines or to none. If \
            there is no response, this is printed:

              {"id":7,"failure":{"kind":"lost","delivery":"not_sent","message":"…",…}}

            For an invalid line without a usable id, the id is null, and a member "line" has the number of the line:

              {"id":null,"line":7,"failure":{"kind":"invalid",…}}

              kind      timeout, lost, connect, status (of HTTP, without a
                        JSON-RPC response), protocol, cancelled, or invalid
                        (the line is not a valid request)
              delivery  not_sent (a retry is safe), outcome_unknown, or answered
              retryable true if the same call may succeed later, else false

            If the connection is lost, or Ctrl-C ends the command, batch stops reading. Standard error then names the \
            first line that was not read. With --retry, batch connects again and goes on.

            Over HTTP, each line is a POST, and so is each array of --as-batch. At most \(HTTPPeerSession.maximumPosts) \
            POSTs are in flight, whatever --concurrency says. If a POST cannot connect, batch stops reading. A POST that \
            fails otherwise fails its own lines only.

            The exit status is that of the worst line. From bad to worse: 1 error object, 4 timeout, 2 invalid line, \
            6 protocol violation, 5 connection lost, 3 could not connect or HTTP status.
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @Option(help: ArgumentHelp("Maximum number of calls in flight.", valueName: "calls"))
    var concurrency = 64

    @OptionGroup(title: "Batches") var batching: BatchingOptions

    @Flag(help: "Also print the peer's notifications, in the format of 'jsonrpc listen' and in the order of arrival.")
    var notifications = false

    @OptionGroup(title: "Failures") var failures: RetryOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var colors: ColorOptions

    func validate() throws { try OptionChecks.range("--concurrency", concurrency, 1...(.max)) }

    func execute() async throws {
        let output = LineOutput(formatter: colors.formatter(.compact))
        let withVersion = connection.version == .two
        let status: CommandStatus
        if notifications {
            try TargetURL.requireWebSocket(
                url, "--notifications needs a WebSocket, because a server cannot notify over HTTP.")
            let order = ResultOrder()
            status = try await LibrarySession.with(
                url, connection, .init(retries: failures.retries),
                prepare: { ((), [Self.print($0, order, to: output, withVersion: withVersion)]) },
                body: { session, _ in
                    var session = session
                    session.order = order
                    return try await answer(over: session, output)
                })
        } else {
            status = try await withPeerSession(url, connection, .init(retries: failures.retries), posts: concurrency) {
                try await answer(over: $0, output)
            }
        }
        if status != .success { throw Exit(status: status) }
    }

    private func answer(over session: any PeerSession, _ output: LineOutput) async throws -> CommandStatus {
        var input = try StandardInput()
        let run = BatchRun(
            session: session, concurrency: concurrency, arrayLength: batching.length,
            window: batching.window?.duration, withVersion: connection.version == .two,
            write: { try output.write($0) })
        return try await run.run(&input)
    }

    /// Prints the notifications of a connection until the connection ends.
    private static func print(
        _ client: JSONRPCClient, _ order: ResultOrder, to output: LineOutput, withVersion: Bool
    ) -> BackgroundTask {
        let notifications = client.notificationsForPrinting
        return Task {
            defer { order.end() }
            do {
                for try await element in notifications where await !order.takes(element) {
                    try output.write(NotificationText.elementLine(element, withVersion: withVersion))
                }
            } catch {
                // The connection was lost or standard output was closed. The batch itself reports either.
            }
        }
    }
}
