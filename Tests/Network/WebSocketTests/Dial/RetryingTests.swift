// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestTurns
import Testing

@testable import Sockets
@testable import WebSocket

/// Which failures are transient, and how long a server asks clients to wait.
@Suite(.inTurn) struct RetryingTests {
    private static let codes: [(WebSocketError.Code, Bool)] = [
        (.invalidURL, false), (.invalidConfiguration, false), (.nameNotResolved, false), (.connectFailed, false),
        (.connectTimeout, true), (.tlsFailed, false), (.certificateExpired, false), (.certificateNotYetValid, false),
        (.certificateRevoked, false), (.certificateWrongHost, false), (.certificateUnknownIssuer, false),
        (.certificateSelfSigned, false), (.certificateRejected, false), (.unsupportedProxy, false),
        (.proxyFailed, false), (.upgradeRefused, false), (.redirectRefused, false), (.invalidHandshake, false),
        (.subprotocolMismatch, false), (.connectionLost, true), (.peerUnresponsive, true), (.closeTimeout, false),
        (.messageTooBig, false), (.invalidText, false), (.protocolViolation, false), (.closing, false),
        (.listenFailed, false), (.eventLoopsStopped, false),
    ]

    @Test(arguments: codes) func aCodeAloneDecides(code: WebSocketError.Code, isRetryable: Bool) {
        #expect(WebSocketError(code, "").isRetryable == isRetryable)
        #expect(WebSocketError(code, "", isRetryable: !isRetryable).isRetryable != isRetryable)
    }

    @Test(arguments: [
        (ECONNREFUSED, true), (ETIMEDOUT, true), (EHOSTUNREACH, true), (ENETUNREACH, true), (ECONNRESET, true),
        (ENOENT, true), (EMFILE, true), (EADDRINUSE, true), (EACCES, false), (EPERM, false), (EAFNOSUPPORT, false),
        (EADDRNOTAVAIL, false), (ENOTSOCK, false), (ENOTDIR, false),
    ])
    func theSystemsReasonDecides(code: Int32, isRetryable: Bool) {
        for kind in [WebSocketError.Code.connectFailed, .listenFailed] {
            #expect(WebSocketError(kind, "", systemError: code).isRetryable == isRetryable)
        }
    }

    @Test(arguments: [(EAI_AGAIN, true), (EAI_SYSTEM, true), (EAI_NONAME, false), (EAI_FAIL, false), (0, false)])
    func namesThatCannotBeResolvedForTheMomentAreRetryable(result: Int32, isRetryable: Bool) {
        let error = WebSocketError(SocketAddress.lookUpFailure(.name("h"), result, nil))
        #expect(error.code == .nameNotResolved && error.isRetryable == isRetryable)
    }

    @Test(arguments: [(407, false), (403, false), (429, true), (502, true), (503, true), (504, true)])
    func theStatusOfAProxyDecides(status: Int, isRetryable: Bool) throws {
        let answer = try #require(HTTPStatusLine(Array("HTTP/1.1 \(status) Phrase".utf8)))
        let error = #expect(throws: SocketError.self) {
            try ProxyTunnel(credentials: nil, authority: "h:80").check(answer)
        }
        #expect(error.map { WebSocketError($0).isRetryable } == isRetryable)
    }

    @Test(arguments: SocketError.Code.allCases) func aCodeOfSocketErrorIsOneOfWebSocketError(code: SocketError.Code) {
        let error = WebSocketError(SocketError(code, "message", advice: "advice", systemError: 7, proxyStatus: 8))
        #expect(Self.codes.contains { $0.0 == error.code })
        #expect("\(error)" == "message advice (\(code))" && error.systemError == 7 && error.proxyStatus == 8)
    }

    // MARK: Retry-After

    private static let times: [(Int, String, Bool, Int?)] = [
        (503, "7", true, 7), (429, "120", true, 120), (404, "5", false, 5), (503, "soon", true, nil),
        (503, "Sun, 06 Nov 1994 08:49:37 GMT", true, 90), (503, "Sunday, 06-Nov-94 08:49:37 GMT", true, 90),
        (503, "Sun Nov  6 08:40:00 1994", true, 0), (503, "99999999999999999999999", true, 2_147_483_648),
    ]

    /// The time is 90 seconds before the example of RFC 9110 §5.6.7.
    @Test(arguments: times)
    func aRefusedUpgradeKeepsTheTime(status: Int, value: String, isRetryable: Bool, seconds: Int?) {
        let response = WebSocketError.Response(
            status: status, headers: [("retry-after", value)], bodyStart: [])
        let error = WebSocketError.refused(response, now: 784_111_687)
        #expect(error.isRetryable == isRetryable)
        #expect(error.retryAfter == seconds.map { .seconds($0) })
    }
}
