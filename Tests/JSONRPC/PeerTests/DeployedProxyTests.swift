// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Sessions with a server at a Unix domain socket, through both proxies, with the files of `Examples/Deploying`.
@Suite(.inTurn(within: .seconds(60)))
struct DeployedProxyTests {
    /// Returns a file of the example with the addresses and files of a test. Each replaced text must occur.
    private func example(_ name: String, _ replacements: [(String, String)]) throws -> String {
        var text = try String(contentsOfFile: "\(Checkout.root)Examples/Deploying/\(name)", encoding: .utf8)
        for (old, new) in replacements {
            try #require(text.contains(old), "\(name) has no '\(old)'")
            text = text.replacing(old, with: new)
        }
        return text
    }

    /// Runs a server at `rpc.sock` in a folder, which returns the client's address as the proxy has sent it.
    private func withServer(_ body: (_ folder: String, _ socket: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let socket = folder + "/rpc.sock"
            let listener = try await JSONRPCListener.listen(
                at: .unixSocket(socket), configuration: .tested
            ) { session, request in
                let address = request.header("X-Forwarded-For") ?? "none"
                session.handle("address") { address }
            }
            // nginx's worker runs as another user when the tests run as root.
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: socket)
            try await body(folder, socket)
            await listener.stop()
        }
    }

    private func expectSessions(atPort port: Int) async throws {
        var configuration = WebSocketConfiguration.tested
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(60)
        configuration.tls.trust = .only(.file(try await Certificates.shared().authority))
        configuration.headers = [("X-Forwarded-For", "203.0.113.9")]
        let client = try await JSONRPCClient.connect(to: "wss://localhost:\(port)/rpc", webSocket: configuration)
        // Not what the client claims.
        #expect(try await client.call("address", as: String.self) == "127.0.0.1")
        await client.close()
        let error = await #expect(throws: ClientError.self) {
            _ = try await JSONRPCClient.connect(to: "wss://localhost:\(port)/other", webSocket: configuration)
        }
        #expect((error?.cause as? WebSocketError)?.response?.status == 404)
    }

    @Test func sessionsPassThroughNginx() async throws {
        let certificate = try await Certificates.shared()[.server]
        try await withServer { folder, socket in
            let port = try LoopbackPort.reserve()
            let text = try example(
                "nginx.conf",
                [
                    ("listen 443 ssl;", "listen 127.0.0.1:\(port) ssl;"), ("/run/example/rpc.sock", socket),
                    ("/etc/ssl/example.pem", certificate.certificate),
                    ("/etc/ssl/private/example.key", certificate.key),
                ])
            try text.write(toFile: folder + "/example.conf", atomically: true, encoding: .utf8)
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
            try """
            daemon off; worker_processes 1; pid pid; error_log stderr notice;
            events { worker_connections 256; }
            http { access_log off; \(temporary.joined(separator: " ")) include example.conf; }

            """.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
            let process = try PeerProcess("nginx", ["-c", folder + "/nginx.conf", "-p", folder, "-e", "stderr"])
            try await withPeer(process, readyLine: "start worker process ") { _, _ in
                try await expectSessions(atPort: port)
            }
        }
    }

    @Test func sessionsPassThroughHaproxy() async throws {
        let certificate = try await Certificates.shared()[.server]
        try await withServer { folder, socket in
            let pair = folder + "/example.pem"
            try
                (String(contentsOfFile: certificate.certificate, encoding: .utf8)
                + String(contentsOfFile: certificate.key, encoding: .utf8))
                .write(toFile: pair, atomically: true, encoding: .utf8)
            let port = try LoopbackPort.reserve()
            let text = try example(
                "haproxy.cfg",
                [
                    ("bind :443 ", "bind 127.0.0.1:\(port) "), ("/etc/haproxy/example.pem", pair),
                    ("/run/example/rpc.sock", socket),
                ])
            let file = folder + "/haproxy.cfg"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let process = try PeerProcess("haproxy", ["-W", "-db", "-f", file])
            try await withPeer(process, readyLine: "Loading success") { _, _ in
                try await expectSessions(atPort: port)
            }
        }
    }
}
