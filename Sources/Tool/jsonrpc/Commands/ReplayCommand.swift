// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCTesting
import JSONRPCWebSocket
import Synchronization
import ToolSupport
import WebSocket

struct ReplayCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replay a recording, as its client or as its server.",
        discussion: """
              jsonrpc replay session.jsonl ws://127.0.0.1:6800/jsonrpc
              jsonrpc replay session.jsonl --port 8081

            With a URL, the command sends the messages of the recorded client and compares the answers with the recorded \
            ones. Without a URL, it listens, prints its port as 'jsonrpc serve' does, expects the messages of the recorded \
            client, and answers with the recorded messages. Both end when every recorded connection has been replayed.

            Ids are matched, not compared. Messages may arrive in another order than in the recording. A message is sent \
            when those before it in the recording were sent and received.

            If a recorded message does not arrive, the exit status is 6. Standard error names the line of the file and \
            the first difference. The command does not wait for --timeout if another response has arrived instead.
            """)

    @Argument(help: "A recording of 'jsonrpc record' or of the library.", completion: .file())
    var file: String

    @Argument(help: ArgumentHelp("URL of a server to replay the client against.", valueName: "url"))
    var url: String?

    @Flag(help: "Compare only the kinds of messages: methods of requests, results and errors.")
    var kinds = false

    @Flag(help: "Also wait for the recorded time before each message.")
    var pace = false

    @Option(
        help: ArgumentHelp(
            "Time limit for each message that is expected, in seconds or with a unit: 5, 250ms, 2m; 0 or none for no "
                + "limit.", valueName: "time"))
    var timeout = TimeLimitOption(duration: .seconds(60))

    @OptionGroup(title: "Without a URL") var listening: ListeningOptions
    @OptionGroup(title: "Connection to the server of the URL") var connection: SocketOptions

    func validate() throws {
        if url == nil { try connection.engineOptions.check(listeningAt: listening.unix) }
    }

    func execute() async throws {
        let connections = try RecordedConnection.read(
            file, as: url == nil ? .server : .client, matching: kinds ? .kinds : .values,
            pace: pace ? .recorded : .immediate, patience: timeout.duration)
        let messages: Int
        if let url {
            messages = try await replay(connections, against: url)
        } else {
            messages = try await serve(connections)
        }
        OutputStream.diagnostics.say("jsonrpc: Replayed \(connections.count) connections with \(messages) messages.")
    }

    // MARK: As the client

    private func replay(_ connections: [RecordedConnection], against url: String) async throws -> Int {
        try TargetURL.requireWebSocket(url, "replay needs a WebSocket.")
        let connector = WebSocketConnector(
            to: try TargetURL.complete(url), configuration: try connection.webSocket(), on: WebSocketEventLoops())
        var messages = 0
        for recorded in connections {
            do {
                try await connector.connect(receiver: recorded.peer.receiver)
            } catch let error where !(error is CancellationError) {
                throw CallFailure(
                    ClientError(.connectFailed, "Could not connect.", cause: error), connection.failureContext(url))
            }
            try await recorded.finish()
            recorded.close()
            await recorded.closed()
            messages += recorded.messageCount
        }
        await connector.eventLoops.shutDown()
        return messages
    }

    // MARK: As the server

    private func serve(_ connections: [RecordedConnection]) async throws -> Int {
        let accepted = Atomic<Int>(0)
        let (address, configuration) = (listening.address, connection.listener)
        try await listening.listen({ "Replaying \(file) at \($0)" }) { eventLoops in
            try await WebSocketListener.listen(at: address, configuration: configuration, on: eventLoops) { _ in
                let index = accepted.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < connections.count else { throw WebSocketListener.UpgradeRefusal(status: 503) }
                return connections[index].peer.receiver
            }
        } until: {
            for recorded in connections {
                try await recorded.finish()
                await recorded.closed()
            }
        }
        return connections.reduce(0) { $0 + $1.messageCount }
    }
}
