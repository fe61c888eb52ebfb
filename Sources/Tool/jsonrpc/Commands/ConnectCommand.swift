// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import TaskWaits
import ToolSupport

struct ConnectCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Open a prompt on one connection.",
        discussion: """
              jsonrpc connect ws://127.0.0.1:8080
              jsonrpc connect ws://127.0.0.1:8080 --answer confirm=true --reconnect

            At the prompt, a line calls a method:
              subtract 42 23
              subtract minuend=42 subtrahend=23
              subtract --params {"minuend": 42, "subtrahend": 23}
            Params are written as for 'jsonrpc call', but blanks in JSON need no quotes, and "42" is a string. The prompt returns at once; the result appears above it with the \
            number of the call. So do notifications, and the calls of the peer, which you answer with :answer and :error, \
            or by rule with --answer and :rule.

            Other commands begin with a colon; :help lists them. Tab completes commands and methods: those of \
            rpc.discover or system.listMethods, which the command calls once, or those called before. Ctrl-C clears the line, or cancels the \
            latest call. Ctrl-D closes the connection and quits.

            Lines are kept in $XDG_STATE_HOME/jsonrpc/history, which is ~/.local/state/jsonrpc/history by default: the \
            latest 1000, readable for you only. A line that begins with a blank is not kept. Keys can be bound in \
            ~/.editrc.

            If standard input or standard output is not a terminal, or TERM is dumb, there is no prompt and no history. \
            Each line waits for the answer to the line before, results go to standard output, and everything else goes to \
            standard error. Calls of the peer without a rule are answered with error -32601. The exit status is that of \
            the worst line:
              printf 'subtract 42 23\\nadd 1 2\\n' | jsonrpc connect ws://127.0.0.1:8080

            The exit status of the prompt is 0 unless the connection is lost: calls in flight then say whether they were \
            sent, and the exit status is 5. With --reconnect, the command connects again instead, and prints a line \
            {"gap":…} because notifications may have been missed.
            """)

    @Argument(help: TargetURL.webSocketHelp)
    var url: String

    @Flag(help: "Connect again if the connection is lost.")
    var reconnect = false

    @Option(
        help: ArgumentHelp(
            "Keep the lines in this file, or keep none. The default is $XDG_STATE_HOME/jsonrpc/history.",
            valueName: "file|none"),
        completion: .file())
    var history: String?

    @Flag(help: "Do not call rpc.discover or system.listMethods for the names of the methods.")
    var noDiscover = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func formatter(on stream: OutputStream) -> JSONFormatter { output.formatter(on: stream) }

    func execute() async throws {
        try TargetURL.requireWebSocket(
            url,
            "connect needs a WebSocket, because HTTP has no connection that a prompt could keep. For one call over "
                + "HTTP, use 'jsonrpc call'.")
        let isAtTerminal = Self.isAtTerminal
        let stream = isAtTerminal ? OutputStream.standard : .diagnostics
        let show: @Sendable (String) -> Void = { try? stream.write(line: $0) }
        let text = ConsoleText(formatter: formatter(on: stream))
        let rules = try connection.answers.map { ($0.name, try ParamWords.value($0.value)) }
        let desk = PeerCallDesk(answersByHand: isAtTerminal, rules: Dictionary(uniqueKeysWithValues: rules)) {
            show(text.peerCall($0, $1, $2))
        }
        let trace = MessageTrace(output: .diagnostics, isOn: connection.verbose)
        try await LibrarySession.with(
            url, connection,
            .init(
                closeTimeout: LibrarySession.shortCloseTimeout, reconnect: reconnect ? .always : .never, trace: trace,
                foreignAdvice: isAtTerminal ? "Enter :raw on to see all messages." : "Use -v to print all messages."),
            prepare: { client in
                desk.serve(client, insteadOf: connection.answers.map(\.name))
                return (client.notificationsForPrinting, [])
            },
            body: { session, notifications in
                let file = isAtTerminal ? historyFile : nil
                let pastLines = file?.load() ?? []
                let console = Console(
                    session: session, desk: desk, trace: trace, text: text, formatter: formatter, show: show,
                    advice: reconnect ? nil : "With --reconnect, the prompt stays and connects again.",
                    pastLines: pastLines, methods: KnownMethods(history: pastLines),
                    calls: CallsInFlight(timeout: connection.timeout))
                guard isAtTerminal else { return try await console.script(notifications) }
                try await prompt(console, file, notifications)
            })
    }

    private func prompt(
        _ console: Console, _ file: HistoryFile?, _ notifications: NotificationStream<InboundNotification>
    ) async throws {
        let editor = try LineEditor(prompt: ConsoleText.prompt(url), pastLines: console.pastLines, history: file) {
            Completion.complete($0, methods: console.methods.names)
        }
        let handshake = TerminalText.line(try await console.trace.handshake.value())
        console.show("Connected (\(handshake)). :help lists the commands, Ctrl-D quits.")
        try await console.atTerminal(editor, notifications, asksForMethods: !noDiscover)
    }

    /// Whether a user can edit lines: standard input and standard output are a terminal that can move its cursor.
    private static var isAtTerminal: Bool {
        guard let terminal = Environment.value("TERM"), terminal != "dumb" else { return false }
        return StandardInput.isTerminal && OutputStream.standard.isTerminal
    }

    /// The file of the history, in a folder that exists if it can be made; `nil` for no history.
    private var historyFile: HistoryFile? {
        switch history {
        case "none": return nil
        case let path?: return HistoryFile(path: path)
        case nil:
            guard let path = HistoryFile.defaultPath else { return nil }
            let file = HistoryFile(path: path)
            file.makeFolder()
            return file
        }
    }
}
