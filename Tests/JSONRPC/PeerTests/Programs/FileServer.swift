// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport

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
