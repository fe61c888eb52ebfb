// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import WebSocket

struct ListeningOptions: ParsableArguments {
    @Option(help: "Numeric IP address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "TCP port to listen on; 0 selects a free port.")
    var port = 8080

    @Option(help: ArgumentHelp("Listen on this Unix domain socket instead of TCP.", valueName: "path"))
    var unix: String?

    func validate() throws {
        guard (0...65535).contains(port) else {
            throw ValidationError("--port must be from 0 to 65535, not \(port).")
        }
    }

    var address: WebSocketListener.Address {
        if let unix { .unixSocket(unix) } else { .host(host, port: port) }
    }

    /// Prints the port, or the URL of a Unix domain socket, alone on a line of standard output.
    ///
    /// - Throws: ``Exit`` if standard output is closed.
    func announce(port: Int, url: String) throws {
        try OutputStream.standard.write(line: unix == nil ? "\(port)" : url)
    }
}
