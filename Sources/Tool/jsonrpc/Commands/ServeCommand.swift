// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import WebSocket

struct ServeCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a small JSON-RPC server for tests and experiments.",
        usage: "jsonrpc serve [<options>]",
        discussion: """
              jsonrpc serve --port 8080

            Once the server listens, it prints its port (with --unix, its URL) alone on a line of standard output. \
            Ctrl-C stops it with exit status 0. Clients are not authenticated: do not expose it to a network.

            Methods:
              echo PARAMS                        returns the params unchanged
              add NUMBER…                        returns the sum
              subtract MINUEND SUBTRAHEND        returns the difference
              sleep SECONDS                      answers after this time, 0 to 3600 seconds
              fail [CODE [MESSAGE [DATA]]]       answers with this error object
              tick.subscribe [INTERVAL [COUNT]]  sends "tick" notifications, INTERVAL s
                                                 apart (default: 1), COUNT times
                                                 (default: no limit); returns the
                                                 subscription's id
              tick.unsubscribe SUBSCRIPTION      ends a subscription
              callback METHOD [PARAMS]           calls the client and returns its result
              rpc.discover                       returns an OpenRPC document of this list
            """)

    static let endsBySignal = true

    @OptionGroup var listening: ListeningOptions

    @Option(
        help: ArgumentHelp("Serve TLS with this certificate chain (PEM). Needs --key.", valueName: "file"),
        completion: .file())
    var cert: String?

    @Option(
        help: ArgumentHelp("Private key of the certificate (PEM). Needs --cert.", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "Let web pages of this origin connect, such as https://app.example, or * for all; repeatable. By default "
                + "no web page may connect.", valueName: "origin"))
    var allowedOrigins: [String] = []

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Accept this name in the Host header field; repeatable. By default a server on loopback accepts only "
                + "localhost and loopback addresses, and a server on another address accepts every name.",
            valueName: "name"))
    var allowedHosts: [String] = []

    @OptionGroup var engineOptions: EngineOptions

    @Flag(help: "Accept permessage-deflate, so that clients may compress their messages.")
    var compression = false

    @Option(
        help: ArgumentHelp(
            "Maximum number of calls in progress per connection. Further calls are answered with error -32000.",
            valueName: "calls"))
    var maxCalls = 16_384

    func validate() throws {
        try OptionChecks.range("--max-calls", maxCalls, 1...(.max))
        try OptionChecks.identity(cert: cert, key: key)
        try engineOptions.check(compression: compression, listeningAt: listening.unix)
    }

    func execute() async throws {
        var configuration = JSONRPCListener.Configuration()
        configuration.session.inbound.maximumCalls = maxCalls
        configuration.webSocket.connection.engine = engineOptions.engine
        configuration.webSocket.connection.compression = compression
        configuration.webSocket.allowedHosts = Set(allowedHosts)
        if !allowedOrigins.isEmpty {
            configuration.webSocket.allowedOrigins =
                allowedOrigins.contains("*") ? .anyPage : .only(Set(allowedOrigins))
        }
        if let cert, let key {
            configuration.webSocket.tls = TLSListenerConfiguration(
                identity: TLSConfiguration.Identity(certificateChain: .file(cert), privateKey: .file(key)))
        }
        try await listening.listen({ "Listening on \($0)" }) { [configuration] eventLoops in
            try await JSONRPCListener.listen(at: listening.address, configuration: configuration, on: eventLoops) {
                EmbeddedServer.serve($0)
            }
        } until: {
            await Interrupts.untilCancelled()
        }
    }
}
