// swift-jsonrpc · SPDX-License-Identifier: MIT

import AsyncHTTPClientTransport
import Foundation
import HTTPRequests
import HTTPTypes
import TestSupport
import TestTurns
import Testing

/// Both transports against nginx.
@Suite("nginx", .inTurn(within: .seconds(60)))
struct WebServerTests {
    private let certificates: Certificates

    init() async throws { certificates = try await Certificates.shared() }

    /// `URLSession` trusts only the system's authorities, so it reaches nginx without TLS, and fails with TLS.
    static let reachable: [(TransportUnderTest, Nginx.Door)] = [
        (.asyncHTTPClient, .plain), (.asyncHTTPClient, .secure), (.asyncHTTPClient, .secureHTTP1),
        (.urlSession, .plain),
    ]

    private func run<Result>(
        _ kind: TransportUnderTest, _ change: (inout AsyncHTTPClientTransport.TLS) -> Void = { _ in },
        _ body: (any HTTPTransport) async throws -> sending Result
    ) async throws -> sending Result {
        try await kind.run(
            {
                $0.tls.trust = .only(file: certificates.authority)
                change(&$0.tls)
            }, body)
    }

    private func request(
        _ server: Nginx, _ door: Nginx.Door, _ path: String = "/", _ method: HTTPRequest.Method = .get,
        host: String = "localhost"
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: door == .plain ? "http" : "https", authority: server.authority(door, host: host),
            path: path)
    }

    @Test func versionIsNegotiated() async throws {
        try await WebServer.run { server in
            let expected: [(Nginx.Door, String, String)] = [
                (.plain, "1.1", "1.1"), (.secure, "2.0", "2"), (.secureHTTP1, "1.1", "1.1"), (.tls12, "1.1", "1.1"),
                (.tls13, "1.1", "1.1"),
            ]
            try await run(.asyncHTTPClient) { transport in
                for (door, version, fact) in expected {
                    for host in ["localhost", "127.0.0.1"] {
                        let response = try await transport.send(
                            request(server, door, host: host), body: nil, context: HTTPRequestContext())
                        let body = String(decoding: try await response.body.collect(upTo: 1000), as: UTF8.self)
                        #expect(body == "HTTP/\(version)  1", "\(door) \(host): \(body)")
                        #expect(response.facts.httpVersion == fact)
                    }
                }
            }
        }
    }

    @Test func http2CanBeTurnedOff() async throws {
        try await WebServer.run { server in
            let body = try await TransportUnderTest.asyncHTTPClient.run {
                $0.tls.trust = .only(file: certificates.authority)
                $0.isHTTP2Enabled = false
            } _: {
                try await $0.exchange(request(server, .secure)).body
            }
            #expect(body.hasPrefix("HTTP/1.1"))
        }
    }

    @Test(arguments: reachable)
    func connectionIsReused(_ kind: TransportUnderTest, _ door: Nginx.Door) async throws {
        try await WebServer.run { server in
            try await run(kind) { transport in
                for number in 1...5 {
                    let body = try await transport.exchange(request(server, door)).body
                    #expect(body.hasSuffix(" \(number)"), "\(body)")
                }
            }
        }
    }

    /// A server ends each connection after some requests. Requests that it did not accept use another connection.
    @Test(arguments: [Nginx.Door.plain, .secure, .secureHTTP1])
    func requestsSurviveTheEndOfTheirConnection(_ door: Nginx.Door) async throws {
        try await WebServer.run(http: "keepalive_requests 20;") { server in
            try await run(.asyncHTTPClient) { transport in
                let statuses = await withTaskGroup(of: [String].self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            var statuses: [String] = []
                            for _ in 0..<50 {
                                do {
                                    let head = try await transport.exchange(request(server, door)).head
                                    statuses.append("\(head.status.code)")
                                } catch {
                                    statuses.append("\(error)")
                                }
                            }
                            return statuses
                        }
                    }
                    return await group.reduce(into: [String: Int]()) { counts, statuses in
                        for status in statuses { counts[status, default: 0] += 1 }
                    }
                }
                #expect(statuses == ["200": 800])
            }
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func certificatesAreChecked(_ kind: TransportUnderTest) async throws {
        try await WebServer.run { server in
            var doors = [Nginx.Door.expired, .wrongHost, .selfSigned, .fromOtherAuthority]
            if kind == .urlSession { doors.append(.secure) }
            for door in doors {
                let error = try await run(kind) { transport in
                    await #expect(throws: HTTPTransportError.self) {
                        _ = try await transport.exchange(request(server, door))
                    }
                }
                #expect(error?.code == .secureConnectionFailed, "\(door): \(String(describing: error))")
                #expect(error?.isRequestUnsent == true)
            }
        }
    }

    /// One server does not use TLS, and another ends the connection instead of a handshake.
    @Test(arguments: TransportUnderTest.allCases)
    func failedHandshakeIsTold(_ kind: TransportUnderTest) async throws {
        let ended = try RawHTTPServer { _ = try $0.socket.read(5) }
        try await WebServer.run { server in
            for authority in [server.authority(.plain), ended.authority] {
                let request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
                let error = try await run(kind) { transport in
                    await #expect(throws: HTTPTransportError.self) { _ = try await transport.exchange(request) }
                }
                #expect(error?.code == .secureConnectionFailed, "\(String(describing: error))")
                #expect(error?.isRequestUnsent == true)
            }
        }
    }

    @Test func insecureAcceptsEachCertificate() async throws {
        try await WebServer.run { server in
            for door in [Nginx.Door.expired, .wrongHost, .selfSigned, .fromOtherAuthority] {
                let status = try await run(.asyncHTTPClient) {
                    $0.isInsecure = true
                } _: {
                    try await $0.exchange(request(server, door)).head.status
                }
                #expect(status == .ok)
            }
        }
    }

    @Test func optionsOfTLSHold() async throws {
        try await WebServer.run { server in
            let failure = { (change: (inout AsyncHTTPClientTransport.TLS) -> Void, door: Nginx.Door) in
                try await run(.asyncHTTPClient, change) { try await $0.outcome(request(server, door)) }
            }
            #expect(try await failure({ $0.minimumVersion = .tls13 }, .tls12) == .failure(.secureConnectionFailed))
            #expect(try await failure({ $0.trust = .system }, .secure) == .failure(.secureConnectionFailed))
            let both = try await failure({ $0.trust = .systemAnd(file: certificates.authority) }, .tls13)
            #expect(both == .response(200, "HTTP/1.1  1"))
            let missing = try await failure({ $0.trust = .only(file: "/does/not/exist") }, .secure)
            #expect(missing == .failure(.secureConnectionFailed))
        }
    }

    @Test func clientCertificateIsShown() async throws {
        try await WebServer.run { server in
            let client = certificates[.client]
            for (key, passphrase) in [(client.key, nil), (certificates.encryptedClientKey, "secret")] {
                let body = try await run(.asyncHTTPClient) {
                    $0.identity = .init(
                        certificateChainFile: client.certificate, privateKeyFile: key, passphrase: passphrase)
                } _: {
                    try await $0.exchange(request(server, .clientCertificates)).body
                }
                #expect(body == "HTTP/2.0 CN=client 1")
            }
            let stranger = try await run(.asyncHTTPClient) {
                try await $0.exchange(request(server, .clientCertificates))
            }
            #expect(stranger.head.status == .badRequest && stranger.body.contains("No required SSL certificate"))
            let wrong = try await run(.asyncHTTPClient) {
                $0.identity = .init(
                    certificateChainFile: client.certificate, privateKeyFile: certificates.encryptedClientKey,
                    passphrase: "wrong")
            } _: {
                try await $0.outcome(request(server, .clientCertificates))
            }
            #expect(wrong == .failure(.secureConnectionFailed))
        }
    }

    @Test(arguments: reachable)
    func answersOfNginxArrive(_ kind: TransportUnderTest, _ door: Nginx.Door) async throws {
        let expected: [(String, Int, String, HTTPField.Name?, String?)] = [
            ("/404", 404, "nothing here", nil, nil), ("/429", 429, "slowly", .retryAfter, "3"),
            ("/503", 503, "down", .retryAfter, "Wed, 21 Oct 2026 07:28:00 GMT"), ("/dead", 502, "<html>", nil, nil),
            ("/301", 301, "<html>", nil, nil), ("/307", 307, "<html>", .location, "https://elsewhere.example/"),
            ("/204", 204, "", nil, nil),
        ]
        try await WebServer.run { server in
            try await run(kind) { transport in
                for (path, status, start, name, value) in expected {
                    let (head, body) = try await transport.exchange(request(server, door, path))
                    #expect(head.status.code == status && body.hasPrefix(start), "\(path): \(head.status) \(body)")
                    if let name { #expect(head.headerFields[name] == value) }
                }
            }
        }
    }

    @Test(arguments: reachable)
    func bodiesAreComplete(_ kind: TransportUnderTest, _ door: Nginx.Door) async throws {
        try await WebServer.run { server in
            try await run(kind) { transport in
                for path in ["/large", "/gzip", "/slow"] {
                    let (head, body) = try await transport.exchange(request(server, door, path))
                    #expect(body == WebServer.large, "\(path)")
                    #expect(head.headerFields[.contentEncoding] == nil)
                }
                let (head, body) = try await transport.exchange(request(server, door, "/large", .head))
                #expect(head.status == .ok && body.isEmpty)
            }
        }
    }

    @Test(arguments: reachable)
    func bodyThatIsTooLargeIsRefused(_ kind: TransportUnderTest, _ door: Nginx.Door) async throws {
        let body = HTTPBodyEntity(content: .bytes([UInt8](repeating: 65, count: 3 << 20)))
        try await WebServer.run { server in
            let (head, page) = try await run(kind) {
                try await $0.exchange(request(server, door, "/small", .post), body: body)
            }
            #expect(head.status.code == 413 && page.contains("413"))
        }
    }

    @Test(arguments: reachable)
    func bodiesReachTheUpstream(_ kind: TransportUnderTest, _ door: Nginx.Door) async throws {
        let upstream = try RawHTTPServer { connection in
            guard let head = try connection.readHead() else { return }
            let count = try connection.readBody(of: head).count
            try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: \("\(count)".count)\r\n\r\n\(count)")
        }
        let piece = [UInt8](repeating: 65, count: 100_000)
        let contents: [HTTPBodyEntity.Content] = [
            .bytes(piece + piece), .bytes(Array(piece.prefix(10))),
            .stream(length: 200_000, isReplayable: false) { HTTPByteStream(Pieces([piece, piece])) },
            .stream(length: nil, isReplayable: false) { HTTPByteStream(Pieces([piece, piece])) },
        ]
        try await WebServer.run(upstream: upstream.port) { server in
            try await run(kind) { transport in
                for content in contents {
                    let (head, body) = try await transport.exchange(
                        request(server, door, "/upstream", .post), body: HTTPBodyEntity(content: content))
                    #expect(head.status == .ok && (body == "200000" || body == "10"), "\(body)")
                }
            }
        }
    }

    /// The upstream ends within its body, so nginx cuts the response.
    @Test(arguments: reachable)
    func cutResponseIsAnError(_ kind: TransportUnderTest, _ door: Nginx.Door) async throws {
        let upstream = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")
        }
        try await WebServer.run(upstream: upstream.port) { server in
            let outcome = try await run(kind) { try await $0.outcome(request(server, door, "/upstream")) }
            #expect(outcome == .bodyFailure(200, .connectionLost))
            guard door == .secure else { return }
            let error = try await run(kind) { transport in
                await #expect(throws: HTTPTransportError.self) {
                    _ = try await transport.exchange(request(server, door, "/upstream"))
                }
            }
            #expect(error?.reason == "The stream was reset with the HTTP/2 error code 2.")
        }
    }

    /// nginx closes the connection without an answer. Over HTTP/1.1, libcurl sends the request again.
    @Test(arguments: [Nginx.Door.plain, .secure, .secureHTTP1])
    func staleConnectionIsTold(_ door: Nginx.Door) async throws {
        try await WebServer.run { server in
            try await run(.asyncHTTPClient) { transport in
                for isStale in [false, true] {
                    if isStale { _ = try await transport.exchange(request(server, door)) }
                    let error = await #expect(throws: HTTPTransportError.self) {
                        _ = try await transport.exchange(request(server, door, "/444"))
                    }
                    #expect(error?.code == .connectionLost && error?.wasConnectionStale == isStale, "\(door)")
                    #expect(error?.isRequestUnsent == false)
                }
            }
        }
    }

    @Test func manyStreamsShareOneConnection() async throws {
        try await WebServer.run { server in
            try await run(.asyncHTTPClient) { transport in
                _ = try await transport.exchange(request(server, .secure))
                let request = request(server, .secure, "/large")
                try await withThrowingTaskGroup { group in
                    for _ in 1...20 { group.addTask { try await transport.exchange(request).body.utf8.count } }
                    for try await count in group { #expect(count == WebServer.large.utf8.count) }
                }
                let body = try await transport.exchange(self.request(server, .secure)).body
                #expect(body == "HTTP/2.0  22")
            }
        }
    }
}
