// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

@main
struct JSONRPCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jsonrpc",
        abstract: "Speaks JSON-RPC 2.0 over WebSocket.",
        discussion: """
            Results go to standard output, everything else to standard error. Exit status: 0 result, 1 error object \
            from the peer, 2 usage, 3 could not connect, 4 timeout, 5 connection lost, 6 protocol violation; 130 when \
            interrupted, but 0 for listen and serve, whose ordinary end that is.
            """,
        version: "0.1.0",
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
            var parsed = try parseAsRoot(arguments)
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
            return report(parsingFailure: error)
        }
        let (signal, failure) = await Interrupts.run { try await command.execute() }
        return report(failure, after: signal, command: command)
    }

    /// `--help` and `--version` come as errors too, with exit status 0 and their text for standard output.
    private static func report(parsingFailure error: any Error) -> CommandStatus {
        guard exitCode(for: error) == .success else {
            OutputStream.diagnostics.say(fullMessage(for: error))
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
            OutputStream.diagnostics.say("jsonrpc: \(usage)")
            return .usage
        case let error?:
            let failure = CallFailure(error)
            if let errorObject = failure.errorObject, let json = try? ErrorObjectText.json(errorObject) {
                try? OutputStream.diagnostics.write(line: command.formatter.format(json))
            } else {
                OutputStream.diagnostics.say("jsonrpc: \(failure.message)")
            }
            return failure.status
        }
    }
}

/// A command that does something which can be interrupted.
protocol ConnectedCommand: ParsableCommand, Sendable {
    /// True where a signal is the ordinary end, as for a server.
    static var endsBySignal: Bool { get }
    /// How an error object is printed when it is what the command ends with.
    var formatter: JSONFormatter { get }

    func execute() async throws
}

extension ConnectedCommand {
    static var endsBySignal: Bool { false }
    var formatter: JSONFormatter { JSONFormatter(style: .pretty) }
}
