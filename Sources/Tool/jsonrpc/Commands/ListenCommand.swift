// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import ToolSupport

struct ListenCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print notifications, one JSON object per line.",
        discussion: """
              jsonrpc listen ws://127.0.0.1:8080 --call tick.subscribe 0.5 --count 3
              jsonrpc listen ws://127.0.0.1:8546 --call eth_subscribe newHeads --count 3

            --call makes a call as soon as the connection is open, for example to subscribe. Its params are written as \
            for 'jsonrpc call': each word is one param, or --params takes one JSON array or object with all \
            params. Results go to standard error, in the order of the options.

            If notifications arrive faster than they can be printed, a line {"gap":…} replaces the dropped ones.

            Messages that are not JSON-RPC, such as {"event":…}, are reported once on standard error. With --raw each \
            is printed on one line, in the order of arrival.

            With --reconnect, the command outlives its connection: it connects again, makes the calls again, and prints a \
            line {"gap":{"reason":"reconnected",…}}, because notifications may have been missed. It also waits for a \
            server that does not run yet. Standard error tells of lost connections and failed attempts, which follow \
            each other after at most 30 seconds.

            Ctrl-C ends the command with exit status 0.
            """)

    static let endsBySignal = true

    @Argument(help: TargetURL.webSocketHelp)
    var url: String

    @Option(
        help: ArgumentHelp(
            "Make this call after connecting; repeatable. Its params end at the next option.",
            valueName: "method> <params"))
    var call: [CallOption] = []

    @Option(
        help: ArgumentHelp(
            "Stop after this many notifications, dropped ones included. The default is no limit.",
            valueName: "notifications"))
    var count: Int?

    @Flag(help: "Also print messages that are not JSON-RPC, one per line.")
    var raw = false

    @Flag(help: "Connect again if the connection is lost, and make the calls again.")
    var reconnect = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var colors: ColorOptions

    func validate() throws {
        try OptionChecks.range("--count", count, 1...(.max))
        for call in call { _ = try call.params() }
    }

    func formatter(on stream: OutputStream) -> JSONFormatter { colors.formatter(.pretty, on: stream) }

    func execute() async throws {
        try TargetURL.requireWebSocket(url, "listen needs a WebSocket, because a server cannot notify over HTTP.")
        let calls = try call.map { (method: $0.method, params: try $0.params()) }
        let output = LineOutput(formatter: colors.formatter(.compact))
        let printer = NotificationPrinter(count: count, withVersion: connection.version == .two) {
            try output.write($0)
        }
        let firstCalls: @Sendable (DuplexSession) async throws -> Void = { [colors] session in
            try await Self.call(calls, in: session, colors)
        }
        try await LibrarySession.with(
            url, connection,
            .init(
                closeTimeout: LibrarySession.shortCloseTimeout, reconnect: reconnect ? .always : .never,
                onConnect: reconnect ? firstCalls : nil,
                foreignAdvice: raw ? nil : "Use --raw to print all such messages."),
            prepare: { client in
                if raw { ForeignMessages.deliver(to: client) }
                return (client.notificationsForPrinting, [])
            },
            body: { session, notifications in
                let order = ResultOrder()
                // What remains are the notifications of the peer, and gaps.
                let listed = notifications.filter { element in
                    if await order.takes(element) { return false }
                    guard let line = ForeignMessages.line(element, output.formatter) else { return true }
                    // If standard output is closed, printing a notification ends the command.
                    try? output.stream.write(line: line)
                    return false
                }
                try await Self.listen(session, reconnect ? [] : calls, listed, order, printer, colors)
            })
    }

    /// Makes the calls of a new connection, one after the other.
    private static func call(
        _ calls: [(method: String, params: RawJSON?)], in session: DuplexSession, _ colors: ColorOptions
    ) async throws {
        for call in calls {
            let result = try await session.callRaw(call.method, params: call.params)
            // A closed standard error must not end the listening.
            try? OutputStream.diagnostics.write(line: colors.formatter(.compact, on: .diagnostics).format(result))
        }
    }

    /// Makes the calls and prints the notifications concurrently, because the peer may send many notifications before
    /// it answers, or never answer.
    private static func listen<Notifications: AsyncSequence & Sendable>(
        _ session: LibrarySession, _ calls: [(method: String, params: RawJSON?)], _ notifications: Notifications,
        _ order: ResultOrder, _ printer: NotificationPrinter, _ colors: ColorOptions
    ) async throws where Notifications.Element == NotificationElement<InboundNotification> {
        let lines = LineOrder()
        let results = ResultPrinter(to: .diagnostics)
        defer { results.printRest() }
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for (index, call) in calls.enumerated() {
                group.addTask(executorPreference: lines) {
                    do {
                        try await order.call(session.client) { options in
                            try await session.client.callRaw(
                                call.method, params: call.params, timeout: session.timeout, options: options)
                        } print: { outcome in
                            let result = try outcome.mapError { session.failure($0) }.get()
                            let formatter = colors.formatter(.compact, on: .diagnostics)
                            results.print(formatter.format(result), ofCall: index)
                        }
                        return .answered
                    } catch let failure as CallFailure where [.lost, .protocolViolation].contains(failure.kind) {
                        return .lost(failure)
                    }
                }
            }
            group.addTask {
                // Calls may still wait for their turn.
                defer { order.end() }
                do {
                    return try await printer.print(notifications) ? .printedAll : .ended(nil)
                } catch let error as ClientError {
                    return .ended(session.failure(error))
                }
            }
            try await wait(for: &group)
        }
    }

    private enum Outcome: Sendable {
        case answered
        /// The connection ended before a call was answered.
        case lost(CallFailure)
        /// The requested number of notifications was printed.
        case printedAll
        case ended((any Error)?)
    }

    /// Waits until the requested number of notifications is printed, or a call or the connection fails. Notifications
    /// that arrived before the end of the connection are printed first. Throws the failure of a call or of the
    /// connection.
    private static func wait(for group: inout ThrowingTaskGroup<Outcome, any Error>) async throws {
        var failure: (any Error)?
        while let outcome = try await group.next() {
            switch outcome {
            case .answered: continue
            case .printedAll: return group.cancelAll()
            case .lost(let lost): failure = lost
            // The failure of an unanswered call is the most specific description of how the connection ended.
            case .ended(let end): failure = failure ?? end
            }
        }
        if let failure { throw failure }
    }
}
