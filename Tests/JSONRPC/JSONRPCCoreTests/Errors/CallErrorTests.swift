// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct CallErrorTests {
    @Test func callErrorSaysWhatWasThrown() throws {
        let object = ErrorObject(.methodNotFound)
        #expect(CallError(object) == .answered(object))
        #expect(CallError(object).underlying as? ErrorObject == object)
        #expect(CallError(object).delivery == .answered)
        let lost = ClientError(.connectionLost, "Gone.", delivery: .notSent)
        #expect(CallError(lost) == .failed(lost))
        #expect(CallError(lost).underlying as? ClientError == lost)
        #expect(CallError(lost).delivery == .notSent)
        #expect(CallError(CancellationError()) == .cancelled)
        #expect(CallError.cancelled.underlying is CancellationError)
        #expect(CallError(CallError.cancelled) == .cancelled)
        let foreign = try #require(CallError(Refused(reason: 1), method: "m").clientError)
        #expect(foreign.code == .transportFailed)
        #expect(foreign.cause as? Refused == Refused(reason: 1))
        #expect(foreign.method == "m")
    }

    @Test func theMethodIsAddedWhereItIsMissing() throws {
        let object = CallError(ErrorObject(.methodNotFound), method: "m")
        #expect(object.errorObject?.method == "m")
        #expect(object == .answered(ErrorObject(.methodNotFound)))
        #expect(CallError(ClientError(.timedOut, "Late."), method: "m").clientError?.method == "m")
        #expect(CallError(ClientError(.timedOut, "Late.", method: "a"), method: "b").clientError?.method == "a")
        #expect(CallError(CancellationError(), method: "m") == .cancelled)
    }

    @Test func onlyAFailureOfThisSideMayBeRetryable() {
        #expect(CallError(ClientError(.connectionLost, "Gone.")).isRetryable)
        #expect(!CallError(ClientError(.decodingFailed, "No.")).isRetryable)
        #expect(!CallError(ErrorObject(.internalError)).isRetryable)
        #expect(!CallError.cancelled.isRetryable)
    }

    @Test func descriptionsSayWhatFailedAndOnWhat() {
        let object = CallError(ErrorObject(.methodNotFound), method: "aria2.foo")
        #expect("\(object)" == "The peer answered with error -32601 for `aria2.foo`: Method not found")
        #expect(
            "\(CallError(Refused(reason: 1), method: "m"))".hasPrefix(
                "A transport or an interceptor threw an error. Method: `m`. The peer may have received the request. Cause: Refused"
            ))
        #expect(object.localizedDescription == "\(object)")
        #expect((ErrorObject(.parseError) as any Error).localizedDescription == "error -32700: Parse error")
    }
}
