// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Sessions through nginx.
@Suite("TLS through nginx", .withEachEngine, .inTurn(within: .seconds(60)))
struct TLSThroughNginxTests {
    private let certificates: Certificates

    init() async throws { certificates = try await Certificates.shared() }

    private func configuration(_ change: (inout WebSocketConfiguration) -> Void = { _ in }) -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration.tested
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(60)
        configuration.tls.trust = .only(.file(certificates.authority))
        change(&configuration)
        return configuration
    }

    private func withNginx(_ body: (Nginx) async throws -> Void) async throws {
        let listener = try await JSONRPCListener.listen(configuration: .tested) { session in
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
        }
        try await Nginx.run(upstream: listener.port) { try await body($0) }
        await listener.stop()
    }

    private func call(_ url: String, _ configuration: WebSocketConfiguration) async throws -> Int {
        let client = try await JSONRPCClient.connect(to: url, webSocket: configuration)
        let sum = try await client.call("add", params: [20, 22], as: Int.self)
        await client.close()
        return sum
    }

    private func expectAnswer(_ url: String, _ configuration: WebSocketConfiguration) async throws {
        let sum = try await call(url, configuration)
        #expect(sum == 42)
    }

    private func failure(_ url: String, _ configuration: WebSocketConfiguration) async -> WebSocketError? {
        let error = await #expect(throws: ClientError.self) { _ = try await call(url, configuration) }
        return error?.cause as? WebSocketError
    }

    @Test(arguments: [Nginx.Door.plain, .secure, .tls12, .tls13])
    func callIsAnswered(_ door: Nginx.Door) async throws {
        try await withNginx { nginx in
            try await expectAnswer(nginx.socketURL(door), configuration())
            try await expectAnswer(nginx.socketURL(door, host: "127.0.0.1"), configuration())
        }
    }

    @Test func certificatesHaveTheirOwnErrors() async throws {
        try await withNginx { nginx in
            let expected: [(Nginx.Door, WebSocketError.Code)] = [
                (.expired, .certificateExpired), (.wrongHost, .certificateWrongHost),
                (.fromOtherAuthority, .certificateUnknownIssuer), (.selfSigned, .certificateSelfSigned),
            ]
            for (door, code) in expected {
                #expect(await failure(nginx.socketURL(door), configuration())?.code == code)
                try await expectAnswer(nginx.socketURL(door), configuration { $0.tls.isInsecure = true })
            }
            let system = configuration { $0.tls.trust = .system }
            #expect(await failure(nginx.socketURL(.secure), system)?.code == .certificateUnknownIssuer)
        }
    }

    @Test func versionsThatDoNotMeetAreTold() async throws {
        try await withNginx { nginx in
            let modern = configuration { $0.tls.minimumVersion = .tls13 }
            #expect(await failure(nginx.socketURL(.tls12), modern)?.code == .tlsFailed)
            try await expectAnswer(nginx.socketURL(.tls13), modern)
        }
    }

    @Test func clientCertificateIsAskedFor() async throws {
        try await withNginx { nginx in
            let url = nginx.socketURL(.clientCertificates)
            let identity = TLSConfiguration.Identity(
                certificateChain: .file(certificates[.client].certificate),
                privateKey: .file(certificates[.client].key))
            try await expectAnswer(url, configuration { $0.tls.identity = identity })
            // nginx completes the TLS handshake and answers with a page.
            let error = await failure(url, configuration())
            #expect(error?.code == .upgradeRefused)
            #expect(error?.response?.status == 400)
            let stranger = TLSConfiguration.Identity(
                certificateChain: .file(certificates[.fromOtherAuthority].certificate),
                privateKey: .file(certificates[.fromOtherAuthority].key))
            #expect(await failure(url, configuration { $0.tls.identity = stranger })?.response?.status == 400)
        }
    }

    @Test func credentialsAreShown() async throws {
        try await withNginx { nginx in
            let token = configuration { $0.headers = [("Authorization", "Bearer t0ken")] }
            try await expectAnswer(nginx.socketURL(.secure, "/bearer"), token)
            let url = nginx.socketURL(.secure, "/basic").replacing("wss://", with: "wss://user:pass@")
            try await expectAnswer(url, configuration())
            try await expectAnswer(nginx.socketURL(.secure, "/query?token=t0ken"), configuration())
        }
    }

    @Test(arguments: [
        ("/bearer", 401, "who are you"), ("/query?token=x", 403, "no"), ("/404", 404, "nothing here"),
        ("/429", 429, "slowly"), ("/503", 503, "down"), ("/html", 200, "<html>login</html>"), ("/dead", 502, "502"),
        ("/no-upgrade", 426, ""),
    ])
    func refusalReachesTheCaller(_ path: String, _ status: Int, _ body: String) async throws {
        try await withNginx { nginx in
            for door in [Nginx.Door.plain, .secure] {
                let error = await failure(nginx.socketURL(door, path), configuration())
                #expect(error?.code == .upgradeRefused)
                #expect(error?.response?.status == status)
                let start = String(decoding: error?.response?.bodyStart ?? [], as: UTF8.self)
                #expect(body.isEmpty || start.contains(body))
            }
        }
    }

    @Test func redirectIsToldAndNotFollowed() async throws {
        try await withNginx { nginx in
            let absolute = await failure(nginx.socketURL(.secure, "/307"), configuration())
            #expect(absolute?.code == .redirectRefused)
            #expect(absolute?.location == "wss://elsewhere.example/")
            let relative = await failure(nginx.socketURL(.plain, "/301"), configuration())
            #expect(relative?.code == .redirectRefused)
            #expect(relative?.location?.hasSuffix("/elsewhere") == true)
        }
    }

    @Test func proxyLeadsToNginx() async throws {
        let proxy = try ProxyServer(.tunnel(authorization: "Basic dXNlcjpwYXNz"))
        try await withNginx { nginx in
            let through = configuration { $0.proxy = .http("http://user:pass@127.0.0.1:\(proxy.port)") }
            try await expectAnswer(nginx.socketURL(.secure), through)
            #expect(await failure(nginx.socketURL(.wrongHost), through)?.code == .certificateWrongHost)
        }
        #expect(proxy.requests.count == 2)
        proxy.stop()
    }
}
