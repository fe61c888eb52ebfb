// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// aria2, a download manager which is remote-controlled by JSON-RPC over WebSocket and HTTP.
public enum Aria2 {
    /// Runs it, with its downloads in a folder of its own, and gives its URL.
    ///
    /// - Parameter scheme: The scheme of the URL: `ws` or `http`.
    public static func run<Result>(
        scheme: String = "ws", secret: String? = nil, maximumRequestSize: String = "2M",
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ url: String, _ downloads: String, _ process: PeerProcess) async throws -> sending Result
    ) async throws -> sending Result {
        try await withTemporaryDirectory { downloads in
            let port = try LoopbackPort.reserve()
            var arguments = [
                "--no-conf", "--enable-rpc", "--rpc-listen-port=\(port)", "--rpc-listen-all=false", "--disable-ipv6",
                "--rpc-max-request-size=\(maximumRequestSize)", "--dir=\(downloads)", "--file-allocation=none",
                "--enable-dht=false", "--enable-dht6=false", "--bt-enable-lpd=false", "--enable-color=false",
                "--show-console-readout=false", "--console-log-level=notice",
                "--stop-with-process=\(ProcessInfo.processInfo.processIdentifier)",
            ]
            if let secret { arguments.append("--rpc-secret=\(secret)") }
            let aria2 = try PeerProcess("aria2c", arguments, environment: ["http_proxy": "", "no_proxy": "*"])
            return try await withPeer(aria2, readyLine: "listening on TCP port \(port)") { process, _ in
                try await body("\(scheme)://127.0.0.1:\(port)/jsonrpc", downloads, process)
            }
        }
    }
}
