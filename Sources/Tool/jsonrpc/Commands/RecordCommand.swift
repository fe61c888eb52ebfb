// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import ToolSupport
import WebSocket

struct RecordCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the sessions between clients and a server in a file.",
        discussion: """
              jsonrpc record ws://127.0.0.1:6800/jsonrpc session.jsonl --port 8080
              jsonrpc call ws://127.0.0.1:8080 aria2.getVersion
              jsonrpc replay session.jsonl --port 8081

            The first command listens, and passes the messages of each client to the server and back, unchanged. It \
            prints its port as 'jsonrpc serve' does. The URL path and the header fields of clients are not passed on: the \
            URL, -H and --subprotocol say how the server is reached. The end of a connection is passed on as it was.

            Each line of the file is an event with its time and connection. Only its owner can read the file, because \
            messages may hold secrets. Clients are not authenticated: do not expose the port to a network.

            Ctrl-C ends the command with exit status 0.
            """)

    static let endsBySignal = true

    @Argument(help: TargetURL.webSocketHelp)
    var url: String

    @Argument(help: "The file. It must not exist, except with --force.", completion: .file())
    var file: String

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Stop when this many connections have ended. The default is no limit.", valueName: "connections"))
    var count: Int?

    @OptionGroup var listening: ListeningOptions
    @OptionGroup(title: "Connection to the server") var connection: SocketOptions

    func validate() throws {
        try OptionChecks.range("--count", count, 1...(.max))
        try connection.engineOptions.check(listeningAt: listening.unix)
    }

    func execute() async throws {
        try TargetURL.requireWebSocket(url, "record needs a WebSocket.")
        let url = try TargetURL.complete(url)
        var server = try connection.webSocket()
        // The text passes as it is, also if it is not UTF-8.
        server.validatesText = false
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let file = try RecordingFile(at: file, replaces: force) { continuation.yield(.failed($0)) }
        let (address, configuration) = (listening.address, connection.listener)
        let context = connection.failureContext(url)
        try await listening.listen({ "Recording clients of \($0) in \(file.path)" }) { [server] eventLoops in
            try await WebSocketListener.listen(at: address, configuration: configuration, on: eventLoops) { _ in
                let relay = Relay(recordingTo: file, context: context) { handler in
                    _ = try await WebSocketConnection.connect(
                        to: url, configuration: server, receiver: handler, on: eventLoops)
                } ended: {
                    continuation.yield(.ended($0))
                }
                continuation.yield(.began(relay))
                return .accept(relay.client)
            }
        } until: {
            try await follow(events)
        }
    }

    private enum Event: Sendable {
        case began(Relay)
        case ended(Relay)
        case failed(UsageError)
    }

    /// Follows the relays until enough of them have ended or the task is cancelled, and closes the others.
    private func follow(_ events: AsyncStream<Event>) async throws {
        var open: [ObjectIdentifier: Relay] = [:]
        var endedCount = 0
        var failure: UsageError?
        following: for await event in events {
            switch event {
            case .began(let relay): open[ObjectIdentifier(relay)] = relay
            case .ended(let relay):
                open[ObjectIdentifier(relay)] = nil
                endedCount += 1
                if endedCount == count { break following }
            case .failed(let error):
                failure = error
                break following
            }
        }
        for relay in open.values { relay.close() }
        if let failure { throw failure }
    }
}
