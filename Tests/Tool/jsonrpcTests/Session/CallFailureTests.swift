// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import ToolSupport
import WebSocket

@testable import jsonrpc

@Suite(.inTurn) struct CallFailureTests {
    private struct Unknown: Error {}

    @Test(
        arguments: [
            (ClientError(.notConnected, "m", delivery: .notSent), .notSent, true),
            (ClientError(.connectionLost, "m", delivery: .outcomeUnknown), .outcomeUnknown, true),
            (ClientError(.connectionLost, "m"), .outcomeUnknown, true),
            (ClientError(.timedOut, "m"), .outcomeUnknown, true),
            (ClientError(.transportFailed, "m"), .outcomeUnknown, false),
            (ClientError(.decodingFailed, "m", delivery: .answered), .answered, false),
            (ClientError(.connectFailed, "m"), .notSent, false),
            (ClientError(.connectFailed, "m", isRetryable: true), .notSent, true),
        ] as [(ClientError, ClientError.Delivery, Bool)])
    func anErrorKeepsItsDeliveryAndWhetherARetryHelps(
        _ error: ClientError, _ delivery: ClientError.Delivery, _ isRetryable: Bool
    ) {
        for failure in [CallFailure(error), CallFailure(CallError.failed(error))] {
            #expect(failure.delivery == delivery)
            #expect(failure.isRetryable == isRetryable)
        }
    }

    @Test func anUnknownErrorDoesNotMakeARetrySafe() {
        #expect(CallFailure(Unknown()).delivery == .outcomeUnknown)
        #expect(CallFailure(NotificationError.overflow(capacity: 1)).delivery == .outcomeUnknown)
        #expect(CallFailure(UsageError("m")).delivery == .notSent)
    }

    @Test func anErrorObjectIsFoundInTheErrorOfACall() {
        let error = ErrorObject(code: 1, message: "m")
        #expect(CallFailure(CallError.answered(error)).errorObject == error)
        #expect(CallFailure(CallError.cancelled).kind == .cancelled)
    }

    @Test func aCallThatFailsAfterConnectingIsNoFailureToConnect() {
        func failure(_ call: ClientError) -> CallFailure {
            CallFailure(
                ClientError(.connectFailed, "Could not connect.", cause: call), .init(maximumMessageBytes: 100))
        }
        let late = failure(ClientError(.timedOut, "No response came in time.", method: "m"))
        #expect(late.kind == .timeout)
        #expect(late.message == "No response came in time. Method: `m`. Raise --timeout to wait longer.")
        let tooBig = WebSocketError(.messageTooBig, "A message is larger than 100 bytes (maximumMessageBytes).")
        let large = failure(ClientError(.connectionLost, "The connection was lost.", cause: tooBig))
        #expect(large.kind == .protocolViolation)
        #expect(
            large.message == "The peer sent a message larger than 100 bytes. Raise --max-message-size to accept it.")
    }

    @Test(
        arguments: [
            WebSocketError(.tlsFailed, #"The server ended the TLS handshake with the alert "bad certificate"."#),
            WebSocketError(.tlsFailed, #"The server ended the TLS handshake with the alert "unknown"."#),
            WebSocketError(.connectionLost, "The connection ended: tlsv13 alert certificate required."),
            HTTPTransportError(
                .secureConnectionFailed,
                "The TLS connection failed: BoringSSLError.sslError([Error: 268436572 error:1000045c:SSL "
                    + "routines:OPENSSL_internal:TLSV1_ALERT_CERTIFICATE_REQUIRED])."),
        ] as [any Error])
    func aServerThatWantsAClientCertificateIsAnsweredWithItsOptions(_ cause: any Error) {
        #if !AsyncHTTPClient
            if cause is HTTPTransportError { return }
        #endif
        let message = CallFailure(ClientError(.connectFailed, "Could not connect.", cause: cause)).message
        #expect(message.hasSuffix(" give one that it trusts with --cert and --key."), "\(message)")
        #expect(!message.contains("--cacert"))
    }

    @Test func aViolationNamesWhatThePeerDid() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            try socket.send(ToolScripts.text("nonsense"))
            _ = try? socket.answerClose()
        }
        var session = SessionConfiguration()
        session.strictness = .strict
        let client = JSONRPCClient(connector: WebSocketConnector(to: peer.url), configuration: session)
        let events = client.events
        try await client.connect()
        for await event in events {
            guard case .closed(let closure) = event else { continue }
            #expect(
                LibrarySession.ended(closure, .init()).message
                    == "The peer violated the protocol. The session closed the connection with code 1002. "
                    + closure.reason)
            #expect(closure.reason.hasPrefix("Received "))
        }
        await client.close()
        try await peer.outcome()
    }
}
