// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

struct ListenCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print the notifications that come, one JSON object a line.",
        discussion: """
              jsonrpc listen ws://127.0.0.1:8546 --call eth_subscribe '["newHeads"]' --count 3

            With --call, calls are made first, to subscribe; their results go to standard error. The params behind a \
            method are one array or object with all params, or words as for the command call. Where notifications are \
            missing, because they came faster than they could be printed, a line {"gap":…} stands in their place.

            Messages that are not JSON-RPC, such as {"event":…}, are mentioned once on standard error; with --raw each \
            is printed as it came, on one line. Their place between the notifications is approximate.
            """)

    static let endsBySignal = true

    @Argument(help: TargetURL.help)
    var url: String

    @Option(
        help: ArgumentHelp(
            "Make this call first; repeatable. The params end with the next option.", valueName: "method> <params"))
    var call: [CallOption] = []

    @Option(
        help: ArgumentHelp(
            "Stop after so many notifications, those that a gap leaves out included.", valueName: "notifications"))
    var count: Int?

    @Flag(help: "Print messages that are not JSON-RPC too, as they came.")
    var raw = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var colors: ColorOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
        for call in call { _ = try call.params() }
    }

    func formatter(on stream: OutputStream) -> JSONFormatter { colors.formatter(.pretty, on: stream) }

    func execute() async throws {
        let calls = try call.map { (method: $0.method, params: try $0.params()) }
        let output = LineOutput(formatter: colors.formatter(.compact))
        let printer = NotificationPrinter(count: count, withVersion: connection.version == .two) {
            try output.write($0)
        }
        // Registered before there is a connection, so that nothing the peer says is missed.
        let overflow = NotificationOverflow.suspend(capacity: 4096, limit: .seconds(10))
        let stream = Registered<NotificationStream<InboundNotification>>()
        try await LibrarySession.with(
            url, connection, closeTimeout: LibrarySession.shortCloseTimeout,
            prepare: { client in
                stream.set(client.notifications(overflow: overflow))
                return [ForeignMessages(printsAll: raw, output: output).follow(client)]
            },
            body: { session in
                guard let notifications = stream.value else { return }
                try await Self.listen(session, calls, notifications, printer, colors)
            })
    }

    /// Makes the calls and prints the notifications at the same time: the peer may say a lot before it answers, or
    /// never answer.
    private static func listen(
        _ session: LibrarySession, _ calls: [(method: String, params: RawJSON?)],
        _ notifications: NotificationStream<InboundNotification>, _ printer: NotificationPrinter, _ colors: ColorOptions
    ) async throws {
        let order = LineOrder()
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for call in calls {
                group.addTask(executorPreference: order) {
                    do {
                        let result = try await session.call(call.method, params: call.params)
                        let formatter = colors.formatter(.compact, on: .diagnostics)
                        try? OutputStream.diagnostics.write(line: formatter.format(result))
                        return .answered
                    } catch let failure as CallFailure where [.lost, .protocolViolation].contains(failure.kind) {
                        return .lost(failure)
                    }
                }
            }
            group.addTask {
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
        /// A call was answered.
        case answered
        /// A call was not answered, since the connection ended.
        case lost(CallFailure)
        /// As many notifications were printed as asked for.
        case printedAll
        /// The notifications ended.
        case ended((any Error)?)
    }

    /// Waits until as many notifications are printed as asked for, or a call or the connection fails. Notifications
    /// that came before the end of the connection are printed first.
    private static func wait(for group: inout ThrowingTaskGroup<Outcome, any Error>) async throws {
        var failure: (any Error)?
        while let outcome = try await group.next() {
            switch outcome {
            case .answered: continue
            case .printedAll: return group.cancelAll()
            case .lost(let lost): failure = lost
            // A call that was not answered says best how the connection ended.
            case .ended(let end): failure = failure ?? end
            }
        }
        if let failure { throw failure }
    }
}
