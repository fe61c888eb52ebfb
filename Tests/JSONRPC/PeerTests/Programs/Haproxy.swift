// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// haproxy in front of a WebSocket server. It breaks the opening handshake in several ways.
struct Haproxy {
    private let port: Int
    private let securePort: Int

    /// The URL of a path; see ``rules`` for the paths with a special meaning.
    func url(_ path: String = "/", secure: Bool = false) -> String {
        secure ? "wss://localhost:\(securePort)\(path)" : "ws://127.0.0.1:\(port)\(path)"
    }

    /// Runs haproxy in front of the server on this port of 127.0.0.1.
    static func run<Result>(
        upstream: Int, isolation: isolated (any Actor)? = #isolation,
        _ body: (Haproxy) async throws -> sending Result
    ) async throws -> sending Result {
        let certificates = try await Certificates.shared()
        return try await withTemporaryDirectory { folder in
            let haproxy = Haproxy(port: try LoopbackPort.reserve(), securePort: try LoopbackPort.reserve())
            let pair = folder + "/server.pem"
            try
                (String(contentsOfFile: certificates[.server].certificate, encoding: .utf8)
                + String(contentsOfFile: certificates[.server].key, encoding: .utf8))
                .write(toFile: pair, atomically: true, encoding: .utf8)
            let file = folder + "/haproxy.cfg"
            try haproxy.configuration(certificate: pair, upstream: upstream)
                .write(toFile: file, atomically: true, encoding: .utf8)
            let process = try PeerProcess("haproxy", ["-W", "-db", "-f", file])
            return try await withPeer(process, readyLine: "Loading success") { _, _ in try await body(haproxy) }
        }
    }

    private func configuration(certificate: String, upstream: Int) -> String {
        """
        global
          maxconn 100
        defaults
          mode http
          timeout connect 30s
          timeout client 60s
          timeout server 60s
          timeout tunnel 300s
        frontend doors
          bind 127.0.0.1:\(port)
          bind 127.0.0.1:\(securePort) ssl crt \(certificate) alpn h2,http/1.1
        \(Self.rules)
          default_backend server
        backend server
          server only 127.0.0.1:\(upstream)

        """
    }

    private static let rules = """
          http-request silent-drop if { path /silent-drop }
          http-request reject if { path /reject }
          http-request deny deny_status 429 hdr Retry-After 1 if { path /429 }
          http-request redirect location /elsewhere code 307 if { path /redirect }
          http-request return status 200 content-type application/json string "{}" if { path /200 }
          http-request set-var(txn.path) path
          http-response set-header Sec-WebSocket-Accept AAAAAAAAAAAAAAAAAAAAAAAAAAA= if { var(txn.path) -m str /bad-accept }
          http-response set-header Sec-WebSocket-Protocol chat if { var(txn.path) -m str /unasked-subprotocol }
          http-response set-header Sec-WebSocket-Extensions permessage-deflate if { var(txn.path) -m str /unasked-extension }
        """
}
