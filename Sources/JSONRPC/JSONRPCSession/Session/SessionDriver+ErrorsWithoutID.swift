// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// An error from the peer that has no usable id and was not used as the answer to a call.
struct UnattributedError: Sendable {
    /// The peer's message, truncated.
    let text: String
    /// The maximum number of Unicode scalars of the peer's message. One character can have any number of them.
    private static let longestMessage = 200
    /// The end of the outbox when the error arrived. Requests after it were sent later.
    private let outboxEnd: UInt64

    init(_ outcome: ResponseReading.Outcome, outboxEnd: UInt64) {
        switch outcome {
        case .error(let error):
            let start = String(error.message.unicodeScalars.prefix(Self.longestMessage))
            let isCut = start.utf8.count < error.message.utf8.count
            text = "\(ErrorObject(code: error.code, message: start))\(isCut ? "…" : "")"
        case .violation(let irregularity): text = "\(irregularity)"
        case .result: text = "a result"
        }
        self.outboxEnd = outboxEnd
    }

    /// Returns whether the request was sent before the error arrived.
    func mayAnswer(_ sent: SessionDriver.Machine.Sent) -> Bool {
        sent.ticket.position < outboxEnd
    }
}

/// Distinguishes errors without an id that a peer sends for a liveness probe from errors that may answer a call.
///
/// A WebSocket server may pass the payload of a PING to its JSON-RPC layer, and send a PONG followed by an error with
/// the id `null`. An error that directly follows the answer to a probe is such an error. After the first of them, one
/// error is expected for each probe, at any place.
struct ProbeEchoes: Sendable {
    /// Whether no message has arrived since the latest answer.
    private var isAnswerLatest = false
    /// Whether the peer has sent an error for a probe.
    private var echoes = false
    /// The number of errors that are still expected.
    private var expected = 0

    /// Records the answer to a probe.
    mutating func answered() {
        isAnswerLatest = true
        if echoes, expected < 16 { expected += 1 }
    }

    /// Records a message that was handled.
    @inline(__always)
    mutating func messageCame() { isAnswerLatest = false }

    /// Returns whether an error without a usable id belongs to a probe.
    mutating func takeError() -> Bool {
        if isAnswerLatest {
            if expected > 0 { expected -= 1 }
            echoes = true
            return true
        }
        guard expected > 0 else { return false }
        expected -= 1
        return true
    }
}

extension SessionDriver {
    /// Handles a response without a usable id. An error may be the answer to the only call or batch in flight.
    func receiveWithoutID(_ reading: ResponseReading, _ message: ArrivedMessage, _ place: Machine.ErrorPlace) {
        var reported = reading.reported
        var closes = reading.closesConnection ? reading.reported.elements.first : nil
        if reading.isError, !probes.takeError(), let irregularity = settle(reading, place) {
            let reaction = configuration.strictness[irregularity]
            if reaction >= .report { reported.insert(irregularity) }
            if reaction == .closeConnection { closes = closes ?? irregularity }
        }
        if !reported.isEmpty { report(reported, message, error: reading.error) }
        if let closes { violate(closes) }
    }

    /// Settles the calls that an error without a usable id answers, and returns its irregularity. Returns `nil` if it
    /// answers no call; then calls that time out mention it.
    private func settle(_ reading: ResponseReading, _ place: Machine.ErrorPlace) -> Irregularity? {
        let (action, effects) = state.withLock { state -> (Machine.ErrorWithoutIDAction, Effects?) in
            let action = state.machine.errorWithoutIDReceived(place)
            if case .doNothing = action, state.machine.inFlight > 0 {
                state.unattributedError = UnattributedError(reading.outcome, outboxEnd: state.outbox.gauge.accepted)
            }
            return (action, admitted(&state))
        }
        defer { if let effects { run(effects) } }
        switch action {
        case .doNothing: return nil
        case .answersCall(let waiter, let id):
            waiter.settle(outcome(reading, as: .callAnsweredWithoutID, id))
            return .callAnsweredWithoutID
        case .answersBatch(let waiters):
            for waiter in waiters { waiter.settle(outcome(reading, as: .batchAnsweredByError, nil)) }
            return .batchAnsweredByError
        }
    }

    /// Returns the outcome of a call to which an error without a usable id is attributed.
    private func outcome(_ reading: ResponseReading, as irregularity: Irregularity, _ id: RequestID?) -> CallOutcome {
        var violated = irregularity
        if configuration.strictness[irregularity] < .failCall {
            switch reading.outcome {
            case .error(var error):
                error.isAttributed = true
                return .error(error, id: id)
            case .violation(let found): violated = found
            case .result: break
            }
        }
        let outcome = violation(violated, id, cause: reading.error)
        guard case .failure(var failure) = outcome else { return outcome }
        failure.message += " \(ErrorObject.attribution)"
        return .failure(failure)
    }
}
