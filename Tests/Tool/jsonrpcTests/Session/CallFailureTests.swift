// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing
import ToolSupport

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
}
