// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Sessions through haproxy, which breaks the opening handshake.
@Suite("Handshake faults of haproxy", .withEachEngine, .inTurn(within: .seconds(60)))
struct HandshakeFaultsOfHaproxyTests {
    private func configuration(timeout: Duration = .seconds(60)) async throws -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration.tested
        configuration.proxy = .none
        configuration.connectTimeout = timeout
        configuration.tls.trust = .only(.file(try await Certificates.shared().authority))
        return configuration
    }

    private func withHaproxy(_ body: (Haproxy) async throws -> Void) async throws {
        let listener = try await JSONRPCListener.listen(configuration: .tested) { session in
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
        }
        try await Haproxy.run(upstream: listener.port) { try await body($0) }
        await listener.stop()
    }

    private func failure(_ url: String, _ configuration: WebSocketConfiguration) async -> WebSocketError? {
        let error = await #expect(throws: ClientError.self) {
            _ = try await JSONRPCClient.connect(to: url, webSocket: configuration)
        }
        return error?.cause as? WebSocketError
    }

    @Test(arguments: [false, true])
    func callIsAnswered(_ secure: Bool) async throws {
        try await withHaproxy { haproxy in
            let client = try await JSONRPCClient.connect(to: haproxy.url(secure: secure), webSocket: configuration())
            #expect(try await client.call("add", params: [1, 2], as: Int.self) == 3)
            await client.close()
        }
    }

    @Test(arguments: [false, true])
    func handshakeThatIsNeverAnsweredEnds(_ secure: Bool) async throws {
        try await withHaproxy { haproxy in
            let error = await failure(
                haproxy.url("/silent-drop", secure: secure), try await configuration(timeout: .milliseconds(500)))
            // haproxy closes its side unnoticed if possible, and otherwise in a way that is visible on loopback.
            #expect(error?.code == .connectTimeout || error?.code == .connectionLost)
        }
    }

    @Test(
        arguments: [
            ("/reject", .connectionLost), ("/bad-accept", .invalidHandshake),
            ("/unasked-extension", .invalidHandshake), ("/unasked-subprotocol", .invalidHandshake),
            ("/429", .upgradeRefused), ("/200", .upgradeRefused), ("/redirect", .redirectRefused),
        ] as [(String, WebSocketError.Code)], [false, true])
    func faultIsTold(_ fault: (path: String, code: WebSocketError.Code), _ secure: Bool) async throws {
        try await withHaproxy { haproxy in
            let error = await failure(haproxy.url(fault.path, secure: secure), try await configuration())
            #expect(error?.code == fault.code, "\(String(describing: error))")
        }
    }
}
