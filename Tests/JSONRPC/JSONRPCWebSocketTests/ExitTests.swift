// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// A process that ends while its event loops are busy ends cleanly.
@Suite(.serialized, .inTurn(within: .seconds(120)), .startsProcess)
struct ExitTests {
    @Test(arguments: 0..<10) func exitingAmidTLSHandshakesIsNoCrash(round: Int) async {
        await #expect(processExitsWith: .success) {
            let certificates = try await Certificates.shared()
            var listening = JSONRPCListener.Configuration()
            listening.webSocket.tls = TLSListenerConfiguration(
                identity: TLSConfiguration.Identity(
                    certificateChain: .file(certificates[.server].certificate),
                    privateKey: .file(certificates[.server].key)))
            let loops = WebSocketEventLoops(count: 4)
            let listener = try await JSONRPCListener.listen(configuration: listening, on: loops) { _ in }
            let connections = EventLog<Void>()
            for _ in 0..<8 {
                Task {
                    var connecting = WebSocketConfiguration()
                    connecting.proxy = .none
                    connecting.tls.trust = .only(.file(certificates.authority))
                    while true {
                        let client = try await JSONRPCClient.connect(
                            to: listener.url, webSocket: connecting, on: loops)
                        connections.record(())
                        client.closeNow()
                    }
                }
            }
            await connections.wait(count: 40)
            exit(EXIT_SUCCESS)
        }
    }
}
