// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// aria2, a download manager which is remote-controlled by JSON-RPC over WebSocket.
enum Aria2 {
    /// Runs it, with its downloads in a folder of its own, and gives its URL.
    static func run<Result>(
        secret: String? = nil, maximumRequestSize: String = "2M",
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
                try await body("ws://127.0.0.1:\(port)/jsonrpc", downloads, process)
            }
        }
    }
}

/// A server of files over HTTP, for aria2 to download from.
enum FileServer {
    /// Serves `files`, by their names, and gives the URL under which they are.
    static func run<Result>(
        files: [String: Data],
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ url: String) async throws -> sending Result
    ) async throws -> sending Result {
        try await withTemporaryDirectory { folder in
            for (name, contents) in files { try contents.write(to: URL(filePath: folder).appending(path: name)) }
            let python = try PeerProcess(Checkout.python, [Checkout.peerScript("file_server.py"), folder])
            return try await withPeer(python, readyLine: "listening on port") { _, line in
                try await body("http://127.0.0.1:\(try lastNumber(in: line))/")
            }
        }
    }
}

/// The number at the end of `line`.
func lastNumber(in line: String) throws -> Int {
    guard let word = line.split(separator: " ").last, let number = Int(word) else {
        throw PeerFailure("no number at the end of: \(line)")
    }
    return number
}
