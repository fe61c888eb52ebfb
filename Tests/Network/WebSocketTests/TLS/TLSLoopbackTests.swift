// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// A client and a listener of this module, with TLS between them.
@Suite(.inTurn(within: .seconds(60)))
struct TLSLoopbackTests {
    private let certificates: Certificates

    init() async throws { certificates = try await Certificates.shared() }

    private func identity(_ pair: Certificates.Pair) -> TLSConfiguration.Identity {
        TLSConfiguration.Identity(certificateChain: .file(pair.certificate), privateKey: .file(pair.key))
    }

    /// Connects to a listener that echoes and has this certificate.
    private func connect(
        server: Certificates.Kind = .server, host: String = "localhost",
        listening address: WebSocketListener.Address = .loopback, tls: TLSConfiguration? = nil,
        versions: ClosedRange<Int> = 12...13, asksForCertificates: Bool = false,
        exchange: @Sendable (WebSocketConnection, RecordingHandler) async throws -> Void = { connection, handler in
            try connection.send(text: "hello")
            #expect(await handler.events.first { $0.text != nil }?.text == "hello")
        }
    ) async throws {
        let loops = WebSocketEventLoops(count: 2)
        var listening = WebSocketListener.Configuration()
        listening.tls = TLSListenerConfiguration(
            identity: identity(certificates[server]),
            clientAuthorities: asksForCertificates ? .file(certificates.authority) : nil,
            versions: (versions.lowerBound == 12 ? .tls12 : .tls13, versions.upperBound == 12 ? .tls12 : .tls13))
        let listener = try await WebSocketListener.listen(at: address, configuration: listening, on: loops) { _ in
            .accept(RecordingHandler.echo())
        }
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(60)
        configuration.tls = tls ?? TLSConfiguration(trust: .only(.file(certificates.authority)))
        let handler = RecordingHandler()
        let outcome: Result<Void, any Error>
        do {
            let url = listener.port == 0 ? listener.url : "wss://\(host):\(listener.port)/"
            let connection = try await WebSocketConnection.connect(
                to: url, configuration: configuration, receiver: handler, on: loops)
            outcome = .success(try await exchange(connection, handler))
        } catch {
            outcome = .failure(error)
            #expect(handler.events.elements.isEmpty)
        }
        await loops.shutDown()
        try outcome.get()
    }

    private func failure(_ body: () async throws -> Void) async -> WebSocketError? {
        await #expect(throws: WebSocketError.self) { try await body() }
    }

    // MARK: Names

    @Test(arguments: ["localhost", "127.0.0.1", "LOCALHOST"])
    func rightNameIsAccepted(_ host: String) async throws {
        try await connect(host: host)
    }

    @Test func rightIPv6AddressIsAccepted() async throws {
        try await connect(host: "[::1]", listening: .host("::1", port: 0))
        try await connect(host: "[0:0:0:0:0:0:0:1]", listening: .host("::1", port: 0))
    }

    @Test func wrongIPv6AddressIsRefused() async throws {
        let error = await failure {
            try await connect(server: .wrongHost, host: "[::1]", listening: .host("::1", port: 0))
        }
        #expect(error?.code == .certificateWrongHost)
        #expect(error?.message.contains("::1") == true)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func wrongNameIsRefused(_ host: String) async throws {
        let error = await failure { try await connect(server: .wrongHost, host: host) }
        #expect(error?.code == .certificateWrongHost)
        #expect(error?.message.contains(host) == true)
    }

    @Test func givenServerNameIsCheckedInPlaceOfTheHost() async throws {
        let trust = TLSConfiguration.Trust.only(.file(certificates.authority))
        try await connect(server: .wrongHost, tls: TLSConfiguration(trust: trust, serverName: "other.example"))
        try await connect(server: .wrongHost, tls: TLSConfiguration(trust: trust, serverName: "192.0.2.1"))
        let error = await failure {
            try await connect(tls: TLSConfiguration(trust: trust, serverName: "other.example"))
        }
        #expect(error?.code == .certificateWrongHost)
    }

    @Test func unixSocketWithTLSIsLocalhost() async throws {
        let path = certificates.folder.appending(path: "s-\(UUID().uuidString.prefix(8))").path(percentEncoded: false)
        try await connect(listening: .unixSocket(path))
        let error = await failure { try await connect(server: .wrongHost, listening: .unixSocket(path + "2")) }
        #expect(error?.code == .certificateWrongHost)
    }

    // MARK: Trust

    @Test(
        arguments: [
            (.expired, .certificateExpired), (.notYetValid, .certificateNotYetValid),
            (.fromOtherAuthority, .certificateUnknownIssuer), (.selfSigned, .certificateSelfSigned),
        ] as [(Certificates.Kind, WebSocketError.Code)])
    func badCertificateHasItsOwnError(
        _ server: Certificates.Kind, _ code: WebSocketError.Code
    ) async throws {
        let error = await failure { try await connect(server: server) }
        #expect(error?.code == code)
    }

    @Test(
        arguments: [.expired, .notYetValid, .fromOtherAuthority, .selfSigned, .wrongHost]
            as [Certificates.Kind])
    func insecureAcceptsAll(_ server: Certificates.Kind) async throws {
        try await connect(server: server, tls: .insecure)
    }

    @Test func systemDoesNotKnowOurAuthority() async throws {
        let error = await failure { try await connect(tls: TLSConfiguration()) }
        #expect(error?.code == .certificateUnknownIssuer)
    }

    @Test func authorityMayCountBesideTheSystems() async throws {
        try await connect(tls: TLSConfiguration(trust: .systemAnd(.file(certificates.authority))))
    }

    @Test func laterCertificateOfABundleCounts() async throws {
        let bundle = try [certificates.otherAuthority, certificates.authority].flatMap {
            Array(try Data(contentsOf: URL(filePath: $0)))
        }
        try await connect(tls: TLSConfiguration(trust: .only(.bytes(bundle))))
        try await connect(server: .fromOtherAuthority, tls: TLSConfiguration(trust: .only(.bytes(bundle))))
    }

    @Test func intermediateCertificateIsSent() async throws {
        try await connect(server: .chained)
    }

    @Test func serversOwnCertificateMayBeTrusted() async throws {
        for server in [Certificates.Kind.selfSigned, .server] {
            let own = certificates[server].certificate
            try await connect(server: server, tls: TLSConfiguration(trust: .only(.file(own))))
        }
    }

    @Test func rotatedTrustCountsForTheNextDial() async throws {
        let file = certificates.folder.appending(path: "trust-\(UUID().uuidString).pem")
        let tls = TLSConfiguration(trust: .only(.file(file.path(percentEncoded: false))))
        try Data(contentsOf: URL(filePath: certificates.otherAuthority)).write(to: file)
        #expect(await failure { try await connect(tls: tls) }?.code == .certificateUnknownIssuer)
        try Data(contentsOf: URL(filePath: certificates.authority)).write(to: file)
        try await connect(tls: tls)
    }

    @Test func missingTrustFileIsTold() async throws {
        let error = await failure { try await connect(tls: TLSConfiguration(trust: .only(.file("/nonexistent.pem")))) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("/nonexistent.pem") == true)
    }

    // MARK: Client certificates

    private func clientTLS(_ identity: TLSConfiguration.Identity?) -> TLSConfiguration {
        TLSConfiguration(trust: .only(.file(certificates.authority)), identity: identity)
    }

    @Test(arguments: [12...12, 13...13])
    func clientCertificateIsShownWithItsChain(_ versions: ClosedRange<Int>) async throws {
        try await connect(
            tls: clientTLS(identity(certificates[.client])), versions: versions, asksForCertificates: true)
        let chain = Array(try Data(contentsOf: URL(filePath: certificates[.client].certificate)))
        let fromMemory = TLSConfiguration.Identity(
            certificateChain: .bytes(chain), privateKey: .file(certificates.encryptedClientKey), passphrase: "secret")
        try await connect(tls: clientTLS(fromMemory), versions: versions, asksForCertificates: true)
    }

    @Test func missingClientCertificateIsToldByAnAlert() async throws {
        let error = await failure {
            try await connect(tls: clientTLS(nil), versions: 12...12, asksForCertificates: true)
        }
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("alert") == true)
    }

    @Test func missingClientCertificateEndsTheDial() async throws {
        // In TLS 1.3, the client's handshake is complete when the server refuses.
        let error = await failure {
            try await connect(tls: clientTLS(nil), versions: 13...13, asksForCertificates: true)
        }
        #expect(error?.code == .tlsFailed || error?.code == .connectionLost)
    }

    @Test func untrustedClientCertificateEndsTheDial() async throws {
        let stranger = identity(certificates[.fromOtherAuthority])
        let error = await failure {
            try await connect(tls: clientTLS(stranger), versions: 12...12, asksForCertificates: true)
        }
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("unknown CA") == true)
    }

    // MARK: Versions

    @Test(arguments: [12...12, 13...13])
    func eachVersionIsSpoken(_ versions: ClosedRange<Int>) async throws {
        try await connect(versions: versions)
    }

    @Test func versionBelowTheMinimumIsRefused() async throws {
        var tls = TLSConfiguration(trust: .only(.file(certificates.authority)))
        tls.minimumVersion = .tls13
        let error = await failure { [tls] in try await connect(tls: tls, versions: 12...12) }
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("protocol version") == true)
    }

    // MARK: Volume

    @Test func largeMessagesComeBackWhole() async throws {
        try await connect { connection, handler in
            let bytes = (0..<3_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            try connection.send(binary: bytes)
            #expect(await handler.events.first { $0.binary != nil }?.binary == bytes)
        }
    }

    @Test func contextsComeAndGoBesideEachOther() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<5 { try await connect() } }
            }
            try await group.waitForAll()
        }
    }
}
