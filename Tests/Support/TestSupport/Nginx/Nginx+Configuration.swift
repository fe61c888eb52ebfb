// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

extension Nginx {
    /// Writes files that nginx serves.
    static func write(_ files: [String: String], in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/files", withIntermediateDirectories: false)
        for (name, contents) in files { try Data(contents.utf8).write(to: URL(filePath: folder + "/files/" + name)) }
        // nginx's worker runs as another user when the tests run as root.
        for path in [folder, folder + "/files"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
    }

    /// The text of the configuration. Relative paths in it are below nginx's folder.
    static func configuration(_ directives: Directives, ports: [Door: Int], certificates: Certificates) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        let servers = Door.allCases.map { door in
            let isHTTP2 = door == .secure || door == .clientCertificates
            return "server { listen 127.0.0.1:\(ports[door] ?? 0)\(door == .plain ? "" : " ssl")"
                + "\(isHTTP2 ? " http2" : ""); server_name localhost; \(tls(door, certificates))\n"
                + directives.locations + "\n}"
        }
        return """
            daemon off; worker_processes 1; pid pid; error_log stderr notice;
            events { worker_connections 256; }
            http {
            log_format access '\(NginxAccess.format)'; access_log /dev/stderr access;
            \(temporary.joined(separator: " "))
            \(directives.http)
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
}
