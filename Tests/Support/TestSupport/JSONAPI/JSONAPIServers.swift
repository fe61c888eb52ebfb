// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A server of articles, people, comments and tags with Django, djangorestframework-jsonapi and SQLite.
///
/// It begins with 25 articles, two people, six comments on the articles 1 to 3, and one tag of the articles 1 to 3.
public struct DjangoServer: Sendable {
    /// The URL of the API, without a slash at the end.
    public let url: String

    /// Starts the server, runs `body`, and stops the server. If `body` throws, standard error gets the server's output.
    public static func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DjangoServer) async throws -> sending Result
    ) async throws -> sending Result {
        let server = try PeerProcess(Checkout.python, [Checkout.peerScript("articles_server.py")])
        return try await withPeer(server, readyLine: "listening on port") { _, line in
            try await body(DjangoServer(url: try localURL(in: line)))
        }
    }
}

/// A server of articles, people and tags with FastAPI-JSONAPI. It performs atomic operations at `/operations`, and
/// begins without resources.
public struct OperationsServer: Sendable {
    /// The URL of the API, without a slash at the end. The paths of resources end with slashes.
    public let url: String

    /// Starts the server, runs `body`, and stops the server. If `body` throws, standard error gets the server's output.
    public static func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (OperationsServer) async throws -> sending Result
    ) async throws -> sending Result {
        let server = try PeerProcess(
            Checkout.operationsPython, ["-W", "ignore", Checkout.peerScript("operations_server.py")])
        return try await withPeer(server, readyLine: "listening on port") { _, line in
            try await body(OperationsServer(url: try localURL(in: line)))
        }
    }
}

/// Returns the URL of the port at the end of a line.
private func localURL(in line: String) throws -> String {
    guard let port = line.split(separator: " ").last.flatMap({ UInt16($0) }) else {
        throw PeerFailure("no port at the end of: \(line)")
    }
    return "http://127.0.0.1:\(port)"
}
