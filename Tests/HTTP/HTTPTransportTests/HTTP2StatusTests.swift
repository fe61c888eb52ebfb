// swift-jsonrpc · SPDX-License-Identifier: MIT

import AsyncHTTPClientTransport
import HTTPRequests
import HTTPTypes
import TestSupport
import TestTurns
import Testing

/// A server of HTTP/2 whose status may be no number of three digits (RFC 9110 §15). SwiftNIO traps on a negative one.
@Suite("Statuses of HTTP/2", .inTurn(within: .seconds(60)))
struct HTTP2StatusTests {
    @Test(arguments: ["-1", "+200", "-0", "1", "99", "1000", "99999999999999999999", "", "2x0", "²00", "101"])
    func aStatusThatIsNoneIsAFailure(status: String) async throws {
        let outcome = try await outcome(of: status)
        guard case .failure = outcome else {
            Issue.record("The outcome is \(outcome).")
            return
        }
    }

    @Test func aStatusIsAResponse() async throws {
        #expect(try await outcome(of: "418") == .response(418, ""))
    }

    private func outcome(of status: String) async throws -> Outcome {
        let certificates = try await Certificates.shared()
        let pair = certificates[.server]
        let server = try PeerProcess(
            Checkout.python, [Checkout.peerScript("http2_status_server.py"), pair.certificate, pair.key, status])
        return try await withPeer(server, readyLine: "listening on port") { _, line in
            let port = try #require(line.split(separator: " ").last)
            return try await TransportUnderTest.asyncHTTPClient.run {
                $0.tls.trust = .only(file: certificates.authority)
            } _: {
                try await $0.outcome(
                    HTTPRequest(method: .get, scheme: "https", authority: "127.0.0.1:\(port)", path: "/"))
            }
        }
    }
}
