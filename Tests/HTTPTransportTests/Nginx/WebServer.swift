// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// nginx as an HTTP server: TLS of several kinds, HTTP/2, compression, refusals, slow and cut responses.
struct WebServer {
    /// What one of its ports is like.
    enum Door: String, CaseIterable, Sendable {
        /// Without TLS.
        case plain
        /// TLS 1.2 and 1.3, and HTTP/2.
        case secure
        /// TLS without HTTP/2.
        case secureHTTP1
        /// Answers 400 after the TLS handshake to a client without a certificate of our authority.
        case clientCertificates
        case expired
        case wrongHost
        case selfSigned
        case fromOtherAuthority
        case tls12
        case tls13
    }

    /// The file `large`: lines of text.
    static let large = String(repeating: "nginx serves this line again and again\n", count: 50_000)

    private let ports: [Door: Int]

    /// The scheme and authority of a door.
    func origin(_ door: Door, host: String = "localhost") -> (scheme: String, authority: String) {
        (door == .plain ? "http" : "https", "\(host):\(ports[door] ?? 0)")
    }

    /// Runs it with `/upstream` in front of the server that listens at this port of 127.0.0.1.
    static func run<Result>(
        upstream: Int = 1, isolation: isolated (any Actor)? = #isolation,
        _ body: (WebServer) async throws -> sending Result
    ) async throws -> sending Result {
        let certificates = try await Certificates.shared()
        return try await withTemporaryDirectory { folder in
            var ports: [Door: Int] = [:]
            for door in Door.allCases { ports[door] = try LoopbackPort.reserve() }
            let server = WebServer(ports: ports)
            try FileManager.default.createDirectory(atPath: folder + "/files", withIntermediateDirectories: false)
            try Data(large.utf8).write(to: URL(filePath: folder + "/files/large"))
            // nginx's worker runs as another user when the tests run as root.
            for path in [folder, folder + "/files"] {
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
            let file = folder + "/nginx.conf"
            try server.configuration(folder: folder, upstream: upstream, certificates: certificates)
                .write(toFile: file, atomically: true, encoding: .utf8)
            let process = try PeerProcess("nginx", ["-c", file, "-p", folder, "-e", "stderr"])
            return try await withPeer(process, readyLine: "start worker process ") { _, _ in try await body(server) }
        }
    }

    private func configuration(folder: String, upstream: Int, certificates: Certificates) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        let servers = Door.allCases.map { door in
            let isHTTP2 = door == .secure || door == .clientCertificates
            return "server { listen 127.0.0.1:\(ports[door] ?? 0)\(door == .plain ? "" : " ssl")"
                + "\(isHTTP2 ? " http2" : ""); server_name localhost; \(Self.tls(door, certificates))"
                + Self.locations(folder: folder, upstream: upstream) + "}"
        }
        return """
            daemon off; worker_processes 1; pid \(folder)/pid; error_log stderr notice;
            events { worker_connections 256; }
            http {
            access_log off; \(temporary.joined(separator: " "))
            \(servers.joined(separator: "\n"))
            }

            """
    }

    private static func tls(_ door: Door, _ certificates: Certificates) -> String {
        let kind: Certificates.Kind
        var more = ""
        switch door {
        case .plain: return ""
        case .secure, .secureHTTP1: kind = .server
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

    private static func locations(folder: String, upstream: Int) -> String {
        """

        default_type text/plain;
        location = / { return 200 "$server_protocol $ssl_client_s_dn $connection_requests"; }
        location = /large { root \(folder)/files; }
        location = /gzip { alias \(folder)/files/large; gzip on; gzip_types *; gzip_min_length 1; }
        location = /slow { alias \(folder)/files/large; limit_rate 1m; }
        location = /upstream { proxy_pass http://127.0.0.1:\(upstream); proxy_http_version 1.1; proxy_buffering off; }
        location = /dead { proxy_pass http://127.0.0.1:1; }
        location = /small { client_max_body_size 10k; proxy_pass http://127.0.0.1:\(upstream); }
        location = /301 { return 301 /elsewhere; }
        location = /307 { return 307 https://elsewhere.example/; }
        location = /404 { return 404 "nothing here"; }
        location = /429 { add_header Retry-After 3 always; return 429 "slowly"; }
        location = /503 { add_header Retry-After "Wed, 21 Oct 2026 07:28:00 GMT" always; return 503 "down"; }
        location = /204 { return 204; }
        location = /444 { return 444; }

        """
    }
}
