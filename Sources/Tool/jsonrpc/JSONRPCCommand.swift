// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import CLibwebsockets
import JSONRPCWebSocket
import ToolSupport

@main
struct JSONRPCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jsonrpc",
        abstract: "Speak JSON-RPC 2.0 over WebSocket and HTTP.",
        discussion: """
              jsonrpc serve &
              jsonrpc call ws://127.0.0.1:8080 subtract 42 23
              JSONRPC_URL=127.0.0.1:8080 jsonrpc call subtract 42 23
              jsonrpc call http://127.0.0.1:6800/jsonrpc aria2.getVersion

            Results go to standard output. Everything else goes to standard error.

            Peers can have names, in the file $XDG_CONFIG_HOME/jsonrpc/config.json, which is \
            ~/.config/jsonrpc/config.json by default, or in the file of $JSONRPC_CONFIG. Give the name instead of the \
            URL:
              {"peers": {"work": {"url": "wss://rpc.example", "bearer": "@token"}}}
              jsonrpc call work eth_blockNumber
            The other members of a peer are options without their dashes: \
            \(PeerFile.optionNames.joined(separator: ", ")). \
            header and subprotocol can be arrays, and flags are true. Relative paths begin at the folder of the file. \
            Options on the command line replace those of the file.

            Exit status:
              0    success
              1    the peer answered with an error object
              2    the command line, a file or an input line is invalid
              3    could not connect, or an HTTP status other than 2xx without a
                   JSON-RPC response
              4    timeout
              5    the connection was lost
              6    the peer violated the JSON-RPC, WebSocket or HTTP protocol
              7    bench --compare found a regression
              8    the result has nothing at the path of call --get, or the server
                   does not describe the method of describe
              130  interrupted with Ctrl-C (143 with SIGTERM); listen, record and
                   serve exit with 0
              141  the reader of standard output has closed it

            To install shell completions, write the script for bash, zsh or fish to the folder of that shell:
              jsonrpc --generate-completion-script bash \\
                > ~/.local/share/bash-completion/completions/jsonrpc
            """ + (HTTPSender.caution.map { "\n\n\($0)" } ?? ""),
        // The versions of the package, and of the libraries that this process has loaded.
        version: """
            jsonrpc \(packageVersion) (HTTP with \(HTTPSender.name))
            libwebsockets \(String(cString: lws_get_library_version()))
            \(String(cString: OpenSSL_version(OPENSSL_VERSION)))
            """,
        subcommands: [
            CallCommand.self, NotifyCommand.self, BatchCommand.self, ListenCommand.self, ConnectCommand.self,
            ServeCommand.self, BenchCommand.self, RecordCommand.self, ReplayCommand.self, DemoCommand.self,
            DiscoverCommand.self, DescribeCommand.self, GenerateCommand.self,
        ]
    )

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        CommandLineWords.hideSecrets(of: arguments)
        Interrupts.endProcess(with: await run(arguments))
    }

    /// Runs a command line to its end and returns the exit status.
    static func run(_ arguments: [String]) async -> CommandStatus {
        if let message = UsageText.unknownHelp(arguments) {
            OutputStream.diagnostics.say(message)
            return .usage
        }
        let command: any ConnectedCommand
        do {
            var parsed = try CommandLineWords.parse(
                arguments, environmentURL: Environment.value(TargetURL.variable), peers: PeerFile.load)
            guard let connected = parsed as? any ConnectedCommand else {
                guard !(parsed is JSONRPCCommand) else {
                    OutputStream.diagnostics.say(helpMessage())
                    return .usage
                }
                // The parser's own help command throws the help text.
                try parsed.run()
                return .success
            }
            command = connected
        } catch {
            return report(parsingFailure: error, arguments)
        }
        let (interruption, failure) = await Interrupts.run(endsAtOnce: type(of: command).endsAtOnce) {
            try await command.execute()
        }
        return report(failure, after: interruption, command: command)
    }

    /// Prints the error of the argument parser. `--help` and `--version` are errors as well, with exit status 0 and a
    /// text for standard output.
    private static func report(parsingFailure error: any Error, _ arguments: [String]) -> CommandStatus {
        guard exitCode(for: error) == .success else {
            OutputStream.diagnostics.say(UsageText.text(fullMessage(for: error), arguments))
            return .usage
        }
        do {
            try OutputStream.standard.write(line: fullMessage(for: error))
            return .success
        } catch {
            return .outputClosed
        }
    }

    private static func report(
        _ failure: (any Error)?, after interruption: CommandStatus?, command: any ConnectedCommand
    ) -> CommandStatus {
        if let exit = failure as? Exit, exit.status == .outputClosed { return exit.status }
        // The error is a consequence of the interruption, so it is not reported.
        if let interruption { return type(of: command).endsBySignal ? .success : interruption }
        switch failure {
        case nil: return .success
        case let exit as Exit: return exit.status
        case let usage as UsageError:
            OutputStream.diagnostics.say("jsonrpc: \(UsageText.withoutSecrets(TerminalText.line("\(usage)")))")
            return .usage
        case let absent as AbsentValue:
            OutputStream.diagnostics.say("jsonrpc: \(TerminalText.line(absent.description))")
            return .absent
        case let error?:
            let failure = CallFailure(error)
            if let json = failure.errorJSON {
                try? OutputStream.diagnostics.write(line: command.formatter(on: .diagnostics).format(json))
            } else {
                OutputStream.diagnostics.say("jsonrpc: \(UsageText.withoutSecrets(failure.message))")
            }
            return failure.status
        }
    }
}

/// A command that runs until it is done or interrupted.
protocol ConnectedCommand: ParsableCommand, Sendable {
    /// True if a signal is the normal way to end the command, as for a server.
    static var endsBySignal: Bool { get }
    /// True if the first signal ends the process, because the command has no connection to close.
    static var endsAtOnce: Bool { get }
    /// Returns the formatter for results and error objects on a stream.
    func formatter(on stream: OutputStream) -> JSONFormatter

    func execute() async throws
}

extension ConnectedCommand {
    static var endsBySignal: Bool { false }
    static var endsAtOnce: Bool { false }
    var formatter: JSONFormatter { formatter(on: .standard) }
    func formatter(on stream: OutputStream) -> JSONFormatter {
        JSONFormatter(style: .pretty, escapesControls: stream.isTerminal || stream === OutputStream.diagnostics)
    }
}

/// A command whose first argument is the peer's URL.
protocol URLCommand: ConnectedCommand {
    var url: String { get }
    /// The method after the URL; `nil` for commands without a method.
    var method: String? { get }
}

extension URLCommand {
    var method: String? { nil }
}
