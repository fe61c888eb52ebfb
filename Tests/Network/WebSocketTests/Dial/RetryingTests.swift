// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestTurns
import Testing

@testable import WebSocket

/// Which failures may pass by themselves, and how long a server asks clients to wait.
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
        let error = SocketAddress.lookUpFailure(.name("h"), result, nil)
        #expect(error.code == .nameNotResolved && error.isRetryable == isRetryable)
    }

    @Test(arguments: [(407, false), (403, false), (429, true), (502, true), (503, true), (504, true)])
    func theStatusOfAProxyDecides(status: Int, isRetryable: Bool) throws {
        let answer = try #require(HTTPStatusLine(Array("HTTP/1.1 \(status) Phrase".utf8)))
        let error = #expect(throws: WebSocketError.self) {
            try ProxyTunnel(credentials: nil, authority: "h:80").check(answer)
        }
        #expect(error?.isRetryable == isRetryable)
    }

    // MARK: Retry-After

    /// 1994-11-06 08:49:37 UTC, the example of RFC 9110 §5.6.7.
    private static let example: Int64 = 784_111_777

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func allFormsOfADateAreRead(date: String) {
        #expect(HTTPDate.seconds(date, now: Self.example) == Self.example)
        #expect(RetryAfter.duration(date, now: Self.example - 90) == .seconds(90))
        #expect(RetryAfter.duration(date, now: Self.example + 1) == .zero)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 23:59:60 GMT", 951_868_800),
        ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800), ("Fri, 31 Dec 2100 00:00:00 GMT", 4_133_894_400),
    ])
    func datesAreThoseOfTheCalendar(date: String, seconds: Int64) {
        #expect(HTTPDate.seconds(date, now: 0) == seconds)
    }

    /// A year of two digits that seems to be more than 50 years ahead lies in the past.
    @Test func yearsOfTwoDigitsAreNotFarAhead() {
        let now: Int64 = 1_800_000_000
        #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == Self.example)
        #expect(HTTPDate.seconds("Friday, 06-Nov-37 08:49:37 GMT", now: now) ?? 0 > now)
    }

    @Test(arguments: [
        ("0", 0), ("120", 120), ("2147483649", 2_147_483_648), ("99999999999999999999999", 2_147_483_648),
    ])
    func secondsAreReadAndBounded(value: String, seconds: Int64) {
        #expect(RetryAfter.duration(value, now: 0) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "-1", "1.5", "1s", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 19940 08:49:37 GMT", "06 Nov 1994", String(repeating: "9 ", count: 10_000), "Sun, 06 Nov",
        "Sun, 06 Nov -1 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
    ])
    func whatIsNeitherIsIgnored(value: String) {
        #expect(RetryAfter.duration(value, now: 0) == nil)
    }

    @Test(arguments: [(503, "7", true, 7), (429, "120", true, 120), (404, "5", false, 5), (503, "soon", true, nil)])
    func aRefusedUpgradeKeepsTheTime(status: Int, value: String, isRetryable: Bool, seconds: Int?) {
        let response = WebSocketError.Response(
            status: status, headers: [("retry-after", value)], bodyStart: [])
        let error = WebSocketError.refused(response, now: 0)
        #expect(error.isRetryable == isRetryable)
        #expect(error.retryAfter == seconds.map { .seconds($0) })
    }
}
