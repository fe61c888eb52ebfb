// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

@main
struct JSONRPCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jsonrpc",
        abstract: "Speak JSON-RPC 2.0 over WebSocket.",
        discussion: """
              jsonrpc call ws://127.0.0.1:8080 subtract 42 23
              JSONRPC_URL=127.0.0.1:8080 jsonrpc call subtract 42 23

            Results go to standard output, everything else to standard error. Exit status: 0 result, 1 error object \
            from the peer, 2 usage, 3 could not connect, 4 timeout, 5 connection lost, 6 protocol violation; 130 when \
            interrupted, but 0 for listen and serve, whose ordinary end that is.

            Shell completions: jsonrpc --generate-completion-script bash (or zsh, fish) prints a script; put it where \
            the shell looks for completions, for example \
            ~/.local/share/bash-completion/completions/jsonrpc.
            """,
        version: packageVersion,
        subcommands: [
            CallCommand.self, NotifyCommand.self, BatchCommand.self, ListenCommand.self, ServeCommand.self,
            BenchCommand.self, DemoCommand.self, DiscoverCommand.self, GenerateCommand.self,
        ]
    )

    static func main() async {
        Interrupts.endProcess(with: await run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs a command line to its end and says how it ended.
    static func run(_ arguments: [String]) async -> CommandStatus {
        let command: any ConnectedCommand
        do {
            var parsed = try CommandLineWords.parse(arguments, environmentURL: Environment.value(TargetURL.variable))
            guard let connected = parsed as? any ConnectedCommand else {
                guard !(parsed is JSONRPCCommand) else {
                    OutputStream.diagnostics.say(helpMessage())
                    return .usage
                }
                // The parser's own command for help, which throws its text.
                try parsed.run()
                return .success
            }
            command = connected
        } catch {
            return report(parsingFailure: error, arguments)
        }
        let (signal, failure) = await Interrupts.run { try await command.execute() }
        return report(failure, after: signal, command: command)
    }

    /// `--help` and `--version` come as errors too, with exit status 0 and their text for standard output.
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
        _ failure: (any Error)?, after signal: Int32?, command: any ConnectedCommand
    ) -> CommandStatus {
        if let exit = failure as? Exit, exit.status == .outputClosed { return exit.status }
        if let signal {
            // What a command throws after it was interrupted is the interruption's doing.
            if type(of: command).endsBySignal { return .success }
            return Interrupts.status(after: signal)
        }
        switch failure {
        case nil: return .success
        case let exit as Exit: return exit.status
        case let usage as UsageError:
            OutputStream.diagnostics.say("jsonrpc: \(UsageText.withoutSecrets(TerminalText.line("\(usage)")))")
            return .usage
        case let error?:
            let failure = CallFailure(error)
            if let errorObject = failure.errorObject, let json = try? ErrorObjectText.json(errorObject) {
                let formatter = command.formatter(on: .diagnostics)
                try? OutputStream.diagnostics.write(line: formatter.format(json))
            } else {
                OutputStream.diagnostics.say("jsonrpc: \(UsageText.withoutSecrets(failure.message))")
            }
            return failure.status
        }
    }
}

/// A command that does something which can be interrupted.
protocol ConnectedCommand: ParsableCommand, Sendable {
    /// True where a signal is the ordinary end, as for a server.
    static var endsBySignal: Bool { get }
    /// How a result, or the error object that the command ends with, is printed on a stream.
    func formatter(on stream: OutputStream) -> JSONFormatter

    func execute() async throws
}

extension ConnectedCommand {
    static var endsBySignal: Bool { false }
    var formatter: JSONFormatter { formatter(on: .standard) }
    func formatter(on stream: OutputStream) -> JSONFormatter {
        JSONFormatter(style: .pretty, escapesControls: stream.isTerminal || stream === OutputStream.diagnostics)
    }
}

/// A command whose first argument is the peer's URL.
protocol URLCommand: ConnectedCommand {
    var url: String { get }
    /// The argument behind the URL: a method, where the command takes one.
    var method: String? { get }
}

extension URLCommand {
    var method: String? { nil }
}
