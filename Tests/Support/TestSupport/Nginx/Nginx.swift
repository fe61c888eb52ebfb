// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// nginx with the locations of a test, behind several ports: without TLS, and with TLS of several kinds.
public struct Nginx: Sendable {
    /// The kind of a port.
    public enum Door: String, CaseIterable, Sendable {
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

    /// The directives of a test, and the files that they name.
    public struct Directives: Sendable {
        /// The `location` blocks, which every port has.
        public var locations: String
        /// Further directives of the `http` block.
        public var http: String
        /// The contents of files in the folder `files`, by name. Directives name them relative to nginx's folder.
        public var files: [String: String]

        public init(locations: String, http: String = "", files: [String: String] = [:]) {
            self.locations = locations
            self.http = http
            self.files = files
        }
    }

    private static let mark = "/mark-"

    private let ports: [Door: Int]
    private let process: PeerProcess

    /// Runs nginx. A test's location can proxy to the ports of the test's own servers.
    public static func run<Result>(
        _ directives: Directives, isolation: isolated (any Actor)? = #isolation,
        _ body: (Nginx) async throws -> sending Result
    ) async throws -> sending Result {
        let certificates = try await Certificates.shared()
        return try await withTemporaryDirectory { folder in
            var ports: [Door: Int] = [:]
            for door in Door.allCases { ports[door] = try LoopbackPort.reserve() }
            try write(directives.files, in: folder)
            let file = folder + "/nginx.conf"
            try configuration(directives, ports: ports, certificates: certificates)
                .write(toFile: file, atomically: true, encoding: .utf8)
            let process = try PeerProcess("nginx", ["-c", file, "-p", folder, "-e", "stderr"])
            return try await withPeer(process, readyLine: "start worker process ") { _, _ in
                try await body(Nginx(ports: ports, process: process))
            }
        }
    }

    /// The authority for URLs of a door.
    public func authority(_ door: Door, host: String = "localhost") -> String { "\(host):\(ports[door] ?? 0)" }

    /// The URL of a path behind a door.
    ///
    /// - Parameter scheme: The scheme of the port without TLS. The other ports have this scheme with an `s` appended.
    public func url(_ door: Door, _ path: String = "/", scheme: String = "http", host: String = "localhost") -> String {
        "\(scheme)\(door == .plain ? "" : "s")://\(authority(door, host: host))\(path)"
    }

    /// Returns an entry for each request that has ended.
    ///
    /// nginx may end a refused request later than its answer, because it waits for the rest of the body. So the entries
    /// are not always in the order of the answers.
    public func accesses() async throws -> [NginxAccess] {
        // The only worker logs this request after the others.
        let mark = Self.mark + UUID().uuidString
        let socket = try RawSocket(connectingTo: ports[.plain] ?? 0)
        try socket.send("GET \(mark) HTTP/1.0\r\nHost: localhost\r\n\r\n")
        _ = try socket.readToEnd()
        _ = try await process.line(containing: " \(mark) ")
        return process.log.split(separator: "\n").compactMap { NginxAccess($0) }.filter {
            !$0.path.hasPrefix(Self.mark)
        }
    }
}

/// A request that nginx has answered.
public struct NginxAccess: Sendable {
    /// The time of the first byte of the request: seconds since 1970, in whole milliseconds.
    public var start: Double
    /// The path.
    public var path: String
    /// The status of the answer.
    public var status: Int
    /// The version of HTTP, such as `HTTP/2.0`.
    public var version: String
    /// Whether nginx has compressed the answer.
    public var isCompressed: Bool

    static let format = "access $msec $request_time $uri $status $server_protocol $gzip_ratio"

    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 7, words[0] == "access", let end = Double(words[1]), let duration = Double(words[2]),
            let status = Int(words[4])
        else { return nil }
        start = end - duration
        path = String(words[3])
        self.status = status
        version = String(words[5])
        isCompressed = words[6] != "-"
    }
}
