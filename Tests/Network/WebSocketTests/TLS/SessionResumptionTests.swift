// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing
import WebSocket

/// No TLS session is resumed (number 23): each connection checks certificates. `openssl` plays the other side.
@Suite(.inTurn(within: .seconds(60)))
struct SessionResumptionTests {
    private let certificates: Certificates

    init() async throws { certificates = try await Certificates.shared() }

    /// The output of `openssl s_client` for a second connection with the kept session of the first.
    private func secondConnection(to port: Int, version: String) async throws -> String {
        try await withTemporaryDirectory { folder in
            let script = """
                port=$0 version=$1 kept=$2/session
                request() {
                    printf 'GET / HTTP/1.0\\r\\n\\r\\n' | openssl s_client -connect "127.0.0.1:$port" "-$version" -ign_eof "$@"
                }
                request -sess_out "$kept" > /dev/null 2>&1
                if [ -s "$kept" ]; then request -sess_in "$kept"; else request; fi
                echo "all done"
                """
            let shell = try PeerProcess("/bin/sh", ["-c", script, "\(port)", version, folder])
            _ = try await shell.line(containing: "all done")
            return shell.log
        }
    }

    /// Runs a server of two connections that keeps sessions.
    private func withServer<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (PeerProcess, Int) async throws -> sending Result
    ) async throws -> sending Result {
        let pair = certificates[.server]
        let script = """
            openssl s_server -accept 127.0.0.1:0 -cert "$0" -key "$1" -www -tlsextdebug -naccept 2 2>&1
            echo "all done"
            """
        let server = try PeerProcess("/bin/sh", ["-c", script, pair.certificate, pair.key])
        return try await withPeer(server, readyLine: "ACCEPT") { server, line in
            try await body(server, try #require(line.split(separator: ":").last.flatMap { Int($0) }))
        }
    }

    @Test(arguments: ["tls1_2", "tls1_3"]) func theListenerResumesNoSession(version: String) async throws {
        let loops = WebSocketEventLoops()
        let pair = certificates[.server]
        var configuration = WebSocketListener.Configuration()
        configuration.tls = TLSListenerConfiguration(
            identity: TLSConfiguration.Identity(certificateChain: .file(pair.certificate), privateKey: .file(pair.key)))
        let listener = try await WebSocketListener.listen(configuration: configuration, on: loops) { _ in
            .accept(RecordingHandler())
        }
        let log = try await secondConnection(to: listener.port, version: version)
        #expect(log.contains("New, TLSv1."))
        #expect(!log.contains("Reused, TLSv1."))
        await loops.shutDown()
        // For a server that keeps sessions, the same commands report resumption.
        let control = try await withServer { _, port in try await secondConnection(to: port, version: version) }
        #expect(control.contains("Reused, TLSv1."))
    }

    /// To resume, a client would send a session ticket (35), or an earlier key (41, RFC 8446 §4.2.11).
    @Test(arguments: [TLSConfiguration.Version.tls12, .tls13])
    func theClientOffersNoSession(minimumVersion: TLSConfiguration.Version) async throws {
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(50)
        configuration.tls = TLSConfiguration(trust: .only(.file(certificates.authority)))
        configuration.tls.minimumVersion = minimumVersion
        let dialling = configuration
        let loops = WebSocketEventLoops()
        let log = try await withServer { server, port in
            for _ in 0..<2 {
                let error = await #expect(throws: WebSocketError.self) {
                    try await WebSocketConnection.connect(
                        to: "wss://localhost:\(port)/", configuration: dialling, receiver: RecordingHandler(), on: loops
                    )
                }
                // The answer was read, so the TLS handshake was complete.
                #expect(error?.code == .upgradeRefused)
            }
            _ = try await server.line(containing: "all done")
            return server.log
        }
        await loops.shutDown()
        let extensions = log.split(separator: "\n").filter { $0.contains("client extension") }
        // Both connections offer `supported_versions`.
        #expect(extensions.count { $0.contains("(id=43)") } == 2)
        #expect(!extensions.contains { $0.contains("(id=35)") || $0.contains("(id=41)") })
    }
}
