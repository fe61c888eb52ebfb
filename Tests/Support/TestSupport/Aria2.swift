// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// aria2, a download manager with a JSON-RPC interface over WebSocket and HTTP.
public enum Aria2 {
    /// Runs it, with a folder of its own for downloads, and passes its URL on.
    ///
    /// - Parameter scheme: The scheme of the URL: `ws` or `http`.
    public static func run<Result>(
        scheme: String = "ws", secret: String? = nil, maximumRequestSize: String = "2M",
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ url: String, _ downloads: String, _ process: PeerProcess) async throws -> sending Result
    ) async throws -> sending Result {
        try await withTemporaryDirectory { downloads in
            let port = try LoopbackPort.reserve()
            let aria2 = try process(port, downloads, secret: secret, maximumRequestSize: maximumRequestSize)
            return try await withPeer(aria2, readyLine: readyLine(port)) { process, _ in
                try await body("\(scheme)://127.0.0.1:\(port)/jsonrpc", downloads, process)
            }
        }
    }

    /// Starts it on a port, and returns when it listens.
    public static func start(port: Int, downloads: String) async throws -> PeerProcess {
        let aria2 = try process(port, downloads, secret: nil, maximumRequestSize: "2M")
        _ = try await aria2.line(containing: readyLine(port))
        return aria2
    }

    private static func readyLine(_ port: Int) -> String { "listening on TCP port \(port)" }

    private static func process(
        _ port: Int, _ downloads: String, secret: String?, maximumRequestSize: String
    ) throws -> PeerProcess {
        var arguments = [
            "--no-conf", "--enable-rpc", "--rpc-listen-port=\(port)", "--rpc-listen-all=false", "--disable-ipv6",
            "--rpc-max-request-size=\(maximumRequestSize)", "--dir=\(downloads)", "--file-allocation=none",
            "--enable-dht=false", "--enable-dht6=false", "--bt-enable-lpd=false", "--enable-color=false",
            "--show-console-readout=false", "--console-log-level=notice",
            "--stop-with-process=\(ProcessInfo.processInfo.processIdentifier)",
        ]
        if let secret { arguments.append("--rpc-secret=\(secret)") }
        return try PeerProcess("aria2c", arguments, environment: ["http_proxy": "", "no_proxy": "*"])
    }
}
