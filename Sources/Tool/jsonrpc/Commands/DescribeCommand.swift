// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import OpenRPC
import ToolSupport

struct DescribeCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Explain a method of a server, with a call to paste.",
        discussion: """
              jsonrpc describe ws://127.0.0.1:8080 subtract

            Calls rpc.discover, which returns an OpenRPC document. Prints the params, the result and the errors of the \
            method, and a command that calls it. Replace the values in the command: they only have the right types. If \
            the method has optional params, a second command has them, too. Without a method, the command explains all \
            methods.

            For a list with one line for each method, and for the document itself, use 'jsonrpc discover'.

            If the server describes no such method, the exit status is 8.
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @Argument(help: "Name of the method. The default is all methods.")
    var method: String?

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    func execute() async throws {
        let budget = TimeBudget(connection.timeout)
        let document: OpenRPCDocument = try await withPeerSession(
            url, connection, .init(budget: budget, closeTimeout: LibrarySession.shortCloseTimeout)
        ) { session in
            do {
                return try await OpenRPCDocument.read(session.call(MethodNames.documentMethod, params: nil))
            } catch let failure as CallFailure where failure.errorObject != nil {
                OutputStream.diagnostics.say(
                    "jsonrpc: The server has no rpc.discover, so its methods cannot be explained. If it has "
                        + "system.listMethods, 'jsonrpc discover' lists their names.")
                throw failure
            }
        }
        // With a URL of the environment, the calls to paste need none.
        let name = (try? PeerFile.load())?.peers.first { $0.url == url }?.name
        let peer = url == Environment.value(TargetURL.variable) ? [] : [name ?? UsageText.shortURL(url)]
        let texts = try methods(of: document).map { document.text(of: $0, peer: peer) }
        try OutputStream.standard.write(line: texts.joined(separator: "\n\n"))
    }

    private func methods(of document: OpenRPCDocument) throws -> [OpenRPCDocument.Method] {
        guard let method else { return document.methods }
        let found = document.methods.filter { $0.name == method }
        guard found.isEmpty else { return found }
        let similar = SimilarWord.find(method, among: document.methods.map(\.name)).map { " Did you mean '\($0)'?" }
        throw AbsentValue("The server describes no method '\(method)'.\(similar ?? "")")
    }
}
