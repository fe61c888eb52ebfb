// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// Defect 23: only the subject alternative names of a certificate count (RFC 9525 §2).
@Suite(.inTurn(within: .seconds(60)))
struct CertificateNameTests {
    /// Connects to a listener whose certificate has the subject `CN=localhost` and these extensions.
    private func connect(extensions: [String]) async throws {
        try await withTemporaryDirectory { folder in
            let (certificate, key) = (folder + "/c.pem", folder + "/c.key")
            let openssl = try PeerProcess(
                "openssl",
                ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
                    + ["-subj", "/CN=localhost", "-keyout", key, "-out", certificate]
                    + extensions.flatMap { ["-addext", $0] })
            try #require(try await openssl.exitStatus() == 0, "\(openssl.log)")
            let loops = WebSocketEventLoops(count: 1)
            var listening = WebSocketListener.Configuration()
            listening.tls = TLSListenerConfiguration(
                identity: TLSConfiguration.Identity(certificateChain: .file(certificate), privateKey: .file(key)))
            let listener = try await WebSocketListener.listen(at: .loopback, configuration: listening, on: loops) { _ in
                .accept(RecordingHandler.echo())
            }
            var configuration = WebSocketConfiguration()
            configuration.proxy = .none
            configuration.connectTimeout = .seconds(60)
            configuration.tls = TLSConfiguration(trust: .only(.file(certificate)))
            let outcome: Result<Void, any Error>
            do {
                try await WebSocketConnection.connect(
                    to: "wss://localhost:\(listener.port)/", configuration: configuration,
                    receiver: RecordingHandler(), on: loops)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            await loops.shutDown()
            try outcome.get()
        }
    }

    @Test func alternativeNameIsAccepted() async throws {
        try await connect(extensions: ["subjectAltName=DNS:localhost"])
    }

    @Test(arguments: [[], ["subjectAltName=email:a@localhost"], ["subjectAltName=IP:127.0.0.1"]])
    func commonNameIsNotAccepted(_ extensions: [String]) async {
        let error = await #expect(throws: WebSocketError.self) { try await connect(extensions: extensions) }
        #expect(error?.code == .certificateWrongHost)
    }
}
