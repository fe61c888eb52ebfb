// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

struct CallCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call a method and print its result.",
        discussion: """
              jsonrpc call ws://127.0.0.1:8080 subtract 42 23
              jsonrpc call ws://127.0.0.1:8080 subtract minuend=42 subtrahend=23
              jsonrpc call ws://127.0.0.1:8080 subtract --params '[42,23]'
              jsonrpc call http://127.0.0.1:6800/jsonrpc aria2.getVersion
              jsonrpc call http://127.0.0.1:6800/jsonrpc aria2.getVersion --get .version

            The first three examples work with the server that 'jsonrpc serve' starts.

            A param is JSON: 42, -1, true, '{"a":1}' or '"x"'. Any other word is sent as a string, \
            but a word that begins with {, [ or " must be valid JSON. Words of the form name=value are params by name. \
            To send a word that begins with a dash, put -- before the params.

            An error object goes to standard error as JSON, with exit status 1.

            Over HTTP, a call is a POST. An error object is printed whatever the HTTP status is. Without a JSON-RPC \
            response, the status and the beginning of the body go to standard error, with exit status 3 if the status \
            is not 2xx, and 6 if it is. Redirects are not followed.
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @OptionGroup var request: RequestArguments

    @Option(
        help: ArgumentHelp(
            "Print only the part of the result at this path: .name, [index] and [\"any name\"], one after the "
                + "other, such as .items[0].name. A string is printed as JSON, in quotes. If the result has no such "
                + "part, the exit status is 8.", valueName: "path"))
    var get: String?

    @OptionGroup(title: "Failures") var failures: RetryOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    var method: String? { request.method }

    func validate() throws { _ = try get.map(ResultPath.init(parsing:)) }

    func formatter(on stream: OutputStream) -> JSONFormatter { output.formatter(on: stream) }

    func execute() async throws {
        let path = try get.map(ResultPath.init(parsing:))
        let budget = TimeBudget(connection.timeout)
        let params = try request.params()
        try await withPeerSession(
            url, connection,
            .init(budget: budget, closeTimeout: LibrarySession.shortCloseTimeout, retries: failures.retries)
        ) { session in
            let result = try await session.call(request.method, params: params)
            let part = try path?.value(in: result) ?? result
            // Printed before the closing handshake, because the peer can delay the handshake.
            try OutputStream.standard.write(line: formatter.format(part))
        }
    }
}

struct NotifyCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Send a notification.",
        discussion: """
              jsonrpc notify ws://127.0.0.1:8080 log level=info message=started

            Params are written as for 'jsonrpc call'. The command ends when the notification has been sent and the \
            connection is closed. Notifications get no reply, so success only means that the message was sent. Over \
            HTTP, success means that the server has answered with a status of 2xx.
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @OptionGroup var request: RequestArguments
    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    var method: String? { request.method }

    func execute() async throws {
        let budget = TimeBudget(connection.timeout)
        let params = try request.params()
        try await withPeerSession(url, connection, .init(budget: budget)) { session in
            try await session.notify(request.method, params: params, extraMembers: ExtraMembers())
        }
    }
}
