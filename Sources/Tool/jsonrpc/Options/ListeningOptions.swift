// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import TaskWaits
import ToolSupport
import WebSocket

struct ListeningOptions: ParsableArguments {
    @Option(help: "Numeric IP address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "TCP port to listen on; 0 selects a free port.")
    var port = 8080

    @Option(help: ArgumentHelp("Listen on this Unix domain socket instead of TCP.", valueName: "path"))
    var unix: String?

    func validate() throws { try OptionChecks.range("--port", port, 0...65535) }

    var address: WebSocketListener.Address {
        if let unix { .unixSocket(unix) } else { .host(host, port: port) }
    }

    /// Listens until `body` returns, and prints the port, or the URL of a Unix domain socket, alone on a line of standard
    /// output. All connections end with it.
    ///
    /// - Parameter notice: The message about the URL, without a full stop.
    /// - Throws: ``UsageError`` if the tool cannot listen; ``Exit`` if standard output is closed; the error of `body`.
    func listen<Listener: ToolListener>(
        _ notice: (_ url: String) -> String, with listen: (WebSocketEventLoops) async throws -> Listener,
        until body: () async throws -> Void
    ) async throws {
        let eventLoops = WebSocketEventLoops()
        let result = await Result(of: {
            let listener = try await listen(eventLoops)
            try OutputStream.standard.write(line: unix == nil ? "\(listener.port)" : listener.url)
            OutputStream.diagnostics.say("jsonrpc: \(notice(listener.url)). Press Ctrl-C to stop.")
            try await body()
        })
        await eventLoops.shutDown()
        do {
            try result.get()
        } catch let error as ClientError where error.code == .listenFailed {
            throw UsageError((error.cause as? WebSocketError)?.message ?? error.message)
        } catch let error as WebSocketError {
            throw UsageError(error.message)
        }
    }
}

extension SocketOptions {
    /// The configuration of a listener that takes messages as they are. They need not be UTF-8.
    var listener: WebSocketListener.Configuration {
        var configuration = WebSocketListener.Configuration()
        configuration.subprotocols = subprotocols
        configuration.connection.engine = engineOptions.engine
        configuration.connection.maximumMessageBytes = maxMessageSize
        configuration.connection.validatesText = false
        return configuration
    }
}

protocol ToolListener {
    var port: Int { get }
    var url: String { get }
}

extension JSONRPCListener: ToolListener {}
extension WebSocketListener: ToolListener {}
