// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import Sockets
@testable import WebSocket

/// An error that names an option keeps it apart from the message, so that programs can name their own options.
@Suite(.inTurn) struct ErrorAdviceTests {
    @Test(arguments: [
        "ws://b\u{FC}cher.example/", "wss://user:pw@\u{4F8B}\u{3048}.example:8080/path?q",
        "ws://b%C3%BCcher.example/",
    ])
    func aUnicodeHostLeadsToTheXNForm(_ url: String) {
        #expect {
            _ = try WebSocketURL(url)
        } throws: { error in
            let message = (error as? WebSocketError)?.message ?? ""
            return message.contains("xn--") && !message.contains("must be percent-encoded") && !message.contains("pw")
        }
    }

    @Test func otherCharactersOutsideASCIIAreStillPercentEncoded() {
        #expect {
            _ = try WebSocketURL("ws://h.example/caf\u{E9}")
        } throws: {
            ($0 as? WebSocketError)?.message.contains("must be percent-encoded as %C3") == true
        }
    }

    @Test func theDescriptionHasTheAdviceAndTheMessageHasNot() {
        let verdict = CertificateVerdict(code: 18, depth: 0)
        let error = WebSocketError(verdict.error(for: .name("h.example")))
        #expect(!error.message.contains("TLSConfiguration"))
        #expect(error.description.contains("set TLSConfiguration.trust. (certificateSelfSigned)"))
    }
}
