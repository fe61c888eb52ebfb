// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import Synchronization
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
        if let count, count < 1 { throw ValidationError("--count must be at least 1, not \(count).") }
    }

    func execute() async throws {
        try TargetURL.requireWebSocket(url, "record needs a WebSocket.")
        let url = try TargetURL.complete(url)
        var server = try connection.webSocket()
        // The text passes as it is, also if it is not UTF-8.
        server.validatesText = false
        let relays = Relays(maximumCount: count)
        let file = try RecordingFile(at: file, replaces: force) { relays.stop($0) }
        let eventLoops = WebSocketEventLoops()
        var configuration = WebSocketListener.Configuration()
        configuration.subprotocols = connection.subprotocols
        configuration.connection.maximumMessageBytes = connection.maxMessageSize
        configuration.connection.validatesText = false
        do {
            let listener = try await WebSocketListener.listen(
                at: listening.address, configuration: configuration, on: eventLoops
            ) { [server] _ in
                let relay = Relay(recordingTo: file) { handler in
                    _ = try await WebSocketConnection.connect(
                        to: url, configuration: server, receiver: handler, on: eventLoops)
                } ended: {
                    relays.ended($0)
                }
                relays.began(relay)
                return .accept(relay.client)
            }
            try listening.announce(port: listener.port, url: listener.url)
            OutputStream.diagnostics.say(
                "jsonrpc: Recording clients of \(listener.url) in \(file.path). Press Ctrl-C to stop.")
            await relays.untilStopped()
        } catch {
            await eventLoops.shutDown()
            throw (error as? WebSocketError).map { UsageError($0.message) } ?? error
        }
        relays.closeAll()
        await eventLoops.shutDown()
        if let failure = relays.failure { throw failure }
    }
}

private final class Relays: Sendable {
    private struct State {
        var open: [ObjectIdentifier: Relay] = [:]
        var endedCount = 0
        var failure: UsageError?
    }

    private let maximumCount: Int?
    private let state = Mutex(State())
    private let stopped = AsyncStream.makeStream(of: Never.self)

    init(maximumCount: Int?) { self.maximumCount = maximumCount }

    /// The reason for which the recording has stopped; `nil` if it has not failed.
    var failure: UsageError? { state.withLock { $0.failure } }

    func began(_ relay: Relay) { state.withLock { $0.open[ObjectIdentifier(relay)] = relay } }

    func ended(_ relay: Relay) {
        let isLast = state.withLock { state in
            guard state.open.removeValue(forKey: ObjectIdentifier(relay)) != nil else { return false }
            state.endedCount += 1
            return state.endedCount == maximumCount
        }
        if isLast { stopped.continuation.finish() }
    }

    /// Stops the command, because the file cannot be written.
    func stop(_ failure: UsageError) {
        state.withLock { $0.failure = failure }
        stopped.continuation.finish()
    }

    /// Returns when the recording has stopped or the task is cancelled.
    func untilStopped() async {
        for await _ in stopped.stream {}
    }

    func closeAll() {
        for relay in state.withLock({ Array($0.open.values) }) { relay.close() }
    }
}
