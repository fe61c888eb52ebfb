// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// An HTTP file server, from which aria2 downloads.
enum FileServer {
    /// Serves `files` by their names, and passes on the base URL.
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
