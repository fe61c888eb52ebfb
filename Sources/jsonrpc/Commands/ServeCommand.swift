// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import WebSocket

struct ServeCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs a small JSON-RPC server, to try things against.",
        discussion: """
            Prints its port (with --unix, its URL), alone on a line, on standard output once it listens. Methods:

              echo PARAMS                          the params, unchanged
              add NUMBER…                          their sum
              subtract MINUEND SUBTRAHEND          42 - 23 is 19; also by name
              sleep SECONDS                        answers late
              fail [CODE [MESSAGE [DATA]]]         answers with that error object
              tick.subscribe [INTERVAL [COUNT]]    notifications "tick", every so many seconds; the result is the \
            subscription
              tick.unsubscribe SUBSCRIPTION        ends them
              callback METHOD [PARAMS]             calls the client and answers with its answer
              rpc.discover                         what there is, as an OpenRPC document
            """)

    static let endsBySignal = true

    @Option(help: "A numeric address of this machine.")
    var host = "127.0.0.1"

    @Option(help: "The port; 0 takes a free one.")
    var port = 8080

    @Option(help: ArgumentHelp("Listen on a unix socket instead.", valueName: "path"))
    var unix: String?

    @Option(help: ArgumentHelp("Speak TLS with this certificate chain, PEM.", valueName: "file"), completion: .file())
    var cert: String?

    @Option(help: ArgumentHelp("The certificate's private key, PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "A web origin whose pages may connect, such as https://app.example, or * for all; repeatable. By default no "
                + "web page may connect.", valueName: "origin"))
    var allowedOrigins: [String] = []

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "A name that the Host field may have, beside those of this machine; repeatable.", valueName: "name"))
    var allowedHosts: [String] = []

    @Flag(help: "Accept permessage-deflate, so that clients may compress what they send.")
    var compression = false

    @Option(
        help: ArgumentHelp(
            "Calls that a connection may have in progress; further calls are answered with the error -32000.",
            valueName: "calls"))
    var maxCalls = 16_384

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port is from 0 to 65535.") }
        if maxCalls < 1 { throw ValidationError("--max-calls is at least 1.") }
        if (cert == nil) != (key == nil) { throw ValidationError("--cert and --key go together.") }
    }

    func execute() async throws {
        let eventLoops = WebSocketEventLoops()
        let address: WebSocketListener.Address =
            if let unix { .unixSocket(unix) } else { .host(host, port: port) }
        var configuration = JSONRPCListener.Configuration()
        configuration.session.maximumInboundCalls = maxCalls
        configuration.webSocket.connection.compression = compression
        configuration.webSocket.allowedHosts = Set(allowedHosts)
        if !allowedOrigins.isEmpty {
            configuration.webSocket.allowedOrigins =
                allowedOrigins.contains("*") ? .anyPage : .only(Set(allowedOrigins))
        }
        if let cert, let key {
            configuration.webSocket.tls = TLSListenerConfiguration(
                identity: TLSIdentity(certificateChain: .file(cert), privateKey: .file(key)))
        }
        let listener: JSONRPCListener
        do {
            listener = try await JSONRPCListener.listen(at: address, configuration: configuration, on: eventLoops) {
                EmbeddedServer.serve($0)
            }
        } catch let error as ClientError where error.code == .listenFailed {
            throw UsageError((error.cause as? WebSocketError)?.message ?? error.message)
        }
        do {
            try OutputStream.standard.write(line: unix == nil ? "\(listener.port)" : listener.url)
            OutputStream.diagnostics.say("jsonrpc: serving on \(listener.url); Ctrl-C ends it")
            await Interrupts.untilCancelled()
        } catch {
            await eventLoops.shutDown()
            throw error
        }
        await eventLoops.shutDown()
    }
}
