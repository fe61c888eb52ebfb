// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// nginx in front of a WebSocket server: TLS of several kinds, authentication, redirects and refusals.
struct Nginx {
    /// What one of its ports is like.
    enum Door: String, CaseIterable {
        /// Without TLS.
        case plain
        /// TLS 1.2 and 1.3, and HTTP/2 for those who ask for it.
        case secure
        /// Answers 400 after the TLS handshake to a client without a certificate of our authority.
        case clientCertificates
        case expired
        case wrongHost
        case selfSigned
        case fromOtherAuthority
        case tls12
        case tls13
    }

    private let ports: [Door: Int]

    /// The URL of a path behind a door.
    func url(_ door: Door, _ path: String = "/", host: String = "localhost") -> String {
        "\(door == .plain ? "ws" : "wss")://\(host):\(ports[door] ?? 0)\(path)"
    }

    /// Runs it in front of the server that listens at this port of 127.0.0.1.
    static func run<Result>(
        upstream: Int, isolation: isolated (any Actor)? = #isolation,
        _ body: (Nginx) async throws -> sending Result
    ) async throws -> sending Result {
        let certificates = try await Certificates.shared()
        return try await withTemporaryDirectory { folder in
            var ports: [Door: Int] = [:]
            for door in Door.allCases { ports[door] = try LoopbackPort.reserve() }
            let nginx = Nginx(ports: ports)
            let file = folder + "/nginx.conf"
            try nginx.configuration(folder: folder, upstream: upstream, certificates: certificates)
                .write(toFile: file, atomically: true, encoding: .utf8)
            let process = try PeerProcess("nginx", ["-c", file, "-p", folder, "-e", "stderr"])
            return try await withPeer(process, readyLine: "start worker process ") { _, _ in try await body(nginx) }
        }
    }

    private func configuration(folder: String, upstream: Int, certificates: Certificates) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        let servers = Door.allCases.map { door in
            "server { listen 127.0.0.1:\(ports[door] ?? 0)\(door == .plain ? "" : " ssl")"
                + "\(door == .secure ? " http2" : ""); server_name localhost; \(Self.tls(door, certificates))"
                + Self.locations(upstream: upstream) + "}"
        }
        return """
            daemon off; worker_processes 1; pid \(folder)/pid; error_log stderr notice;
            events { worker_connections 128; }
            http {
            access_log off; \(temporary.joined(separator: " "))
            map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
            \(servers.joined(separator: "\n"))
            }

            """
    }

    private static func tls(_ door: Door, _ certificates: Certificates) -> String {
        let kind: Certificates.Kind
        var more = ""
        switch door {
        case .plain: return ""
        case .secure: kind = .server
        case .clientCertificates:
            kind = .chained
            more = "ssl_client_certificate \(certificates.authority); ssl_verify_client on; ssl_verify_depth 3;"
        case .expired: kind = .expired
        case .wrongHost: kind = .wrongHost
        case .selfSigned: kind = .selfSigned
        case .fromOtherAuthority: kind = .fromOtherAuthority
        case .tls12: (kind, more) = (.server, "ssl_protocols TLSv1.2;")
        case .tls13: (kind, more) = (.server, "ssl_protocols TLSv1.3;")
        }
        return
            "ssl_certificate \(certificates[kind].certificate); ssl_certificate_key \(certificates[kind].key); \(more)"
    }

    private static func locations(upstream: Int) -> String {
        let proxy =
            "proxy_pass http://127.0.0.1:\(upstream); proxy_http_version 1.1; proxy_set_header Host $http_host; "
            + "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;"
        return """

            location / { \(proxy) }
            location /bearer { if ($http_authorization != "Bearer t0ken") { return 401 "who are you"; } \(proxy) }
            location /basic { if ($http_authorization != "Basic dXNlcjpwYXNz") { return 401; } \(proxy) }
            location /query { if ($arg_token != "t0ken") { return 403 "no"; } \(proxy) }
            location /no-upgrade { proxy_pass http://127.0.0.1:\(upstream); }
            location /dead { proxy_pass http://127.0.0.1:1; }
            location = /301 { return 301 /elsewhere; }
            location = /307 { return 307 wss://elsewhere.example/; }
            location = /404 { return 404 "nothing here"; }
            location = /429 { add_header Retry-After 3 always; return 429 "slowly"; }
            location = /503 { add_header Retry-After 5 always; return 503 "down"; }
            location = /html { default_type text/html; return 200 "<html>login</html>"; }

            """
    }
}
