// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import OpenRPC
import ToolSupport

struct DiscoverCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "List the methods of a server.",
        discussion: """
              jsonrpc discover ws://127.0.0.1:8080
              jsonrpc discover ws://127.0.0.1:8080 --json | jsonrpc generate -

            Calls rpc.discover, which returns an OpenRPC document. Prints a line for each method: name, params, result \
            and summary. A param with ? is optional. If the server has no rpc.discover, the command prints the names that \
            system.listMethods returns.

            For the details of a method, and a call to paste, use 'jsonrpc describe'.
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @Flag(help: "Print the OpenRPC document instead of the list.")
    var json = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func formatter(on stream: OutputStream) -> JSONFormatter { output.formatter(on: stream) }

    func execute() async throws {
        let budget = TimeBudget(connection.timeout)
        try await withPeerSession(
            url, connection, .init(budget: budget, closeTimeout: LibrarySession.shortCloseTimeout)
        ) { session in
            do {
                try show(try await session.call(MethodNames.documentMethod, params: nil))
            } catch let failure as CallFailure where failure.errorObject != nil && !json {
                try await listNames(session, without: failure)
            }
        }
    }

    /// Prints the names of the methods of a server without a document. `failure` is the failure of `rpc.discover`,
    /// which is thrown if the server has no list of names either.
    private func listNames(_ session: any PeerSession, without failure: CallFailure) async throws {
        let list: RawJSON
        do {
            list = try await session.call(MethodNames.listMethod, params: nil)
        } catch let error as CallFailure where error.errorObject != nil {
            OutputStream.diagnostics.say("jsonrpc: The server has neither rpc.discover nor system.listMethods.")
            throw failure
        }
        guard let names = try? list.decode(as: [String].self) else {
            throw ClientError(
                .protocolViolation, "The result of `system.listMethods` is not an array of names.",
                method: MethodNames.listMethod, delivery: .answered)
        }
        OutputStream.diagnostics.say("jsonrpc: The server has no rpc.discover. system.listMethods returns names alone.")
        for name in names { try OutputStream.standard.write(line: TerminalText.line(name)) }
    }

    private func show(_ result: RawJSON) throws {
        if json { return try OutputStream.standard.write(line: formatter.format(result)) }
        let document = try OpenRPCDocument.read(result)
        OutputStream.diagnostics.say(TerminalText.line("\(document.title) \(document.version)"))
        for method in document.methods { try OutputStream.standard.write(line: method.line) }
    }
}
