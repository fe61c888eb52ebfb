// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

struct ListenCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Prints the notifications that come, one JSON object a line.",
        discussion: """
            With --call a call is made first, to subscribe; its result goes to standard error. Behind the method stands \
            one array or object with all params, or words as for the command call. Where notifications are missing, \
            because they came faster than they could be printed, a line {"gap":…} stands in their place.

              jsonrpc listen ws://127.0.0.1:8546 --call eth_subscribe '["newHeads"]' --count 3
            """)

    static let endsBySignal = true

    @Argument(help: "ws://, wss:// or ws+unix://")
    var url: String

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Make this call first.", valueName: "method> <params"))
    var call: [String] = []

    @Option(help: ArgumentHelp("Stop after so many notifications.", valueName: "notifications"))
    var count: Int?

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
        _ = try Self.request(call)
    }

    /// The method and params of `--call`.
    static func request(_ words: [String]) throws -> (method: String, params: RawJSON?)? {
        guard let method = words.first else { return nil }
        let rest = Array(words.dropFirst())
        if rest.count == 1, let json = try? RawJSON(validating: rest[0]),
            json.bytes.first == UInt8(ascii: "[") || json.bytes.first == UInt8(ascii: "{")
        {
            return (method, json)
        }
        return (method, try ParamWords.params(rest))
    }

    func execute() async throws {
        let request = try Self.request(call)
        // Registered before there is a connection, so that nothing the peer says is missed.
        let overflow = NotificationOverflow.suspend(capacity: 4096, limit: .seconds(10))
        try await LibrarySession.with(url, connection, prepare: { $0.notifications(overflow: overflow) }) {
            session, notifications in
            // At the same time: the peer may say a lot before it answers, or never answer.
            try await withThrowingTaskGroup { group in
                if let request {
                    group.addTask {
                        let result = try await session.call(request.method, params: request.params)
                        try? OutputStream.diagnostics.write(line: JSONFormatter(style: .compact).format(result))
                        return false
                    }
                }
                group.addTask {
                    try await Self.print(notifications, count: count, withVersion: connection.version == .two)
                }
                // Where the peer has closed the connection instead, the call says how it ended.
                while let hasPrintedAll = try await group.next() {
                    if hasPrintedAll { return group.cancelAll() }
                }
            }
        }
    }

    /// Prints until there are as many as asked for. False when the connection was closed before.
    private static func print(
        _ notifications: NotificationStream<InboundNotification>, count: Int?, withVersion: Bool
    ) async throws -> Bool {
        var rest = count ?? .max
        for try await element in notifications {
            switch element {
            case .value(let notification):
                try OutputStream.standard.write(line: NotificationText.line(notification, withVersion: withVersion))
                rest -= 1
                if rest == 0 { return true }
            case .gap(let gap): try OutputStream.standard.write(line: NotificationText.line(gap))
            }
        }
        // The loop also ends when the task is cancelled in between.
        try Task.checkCancellation()
        return false
    }
}
