// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

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

    /// Returns whether the request with this ticket was sent before the error arrived.
    func mayAnswer(_ ticket: OutboxTicket) -> Bool { ticket.position < outboxEnd }
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

    mutating func answered() {
        isAnswerLatest = true
        if echoes, expected < 16 { expected += 1 }
    }

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

extension SessionStateMachine {
    /// The meaning of an error without a usable id.
    enum ErrorWithoutIDAction: Sendable {
        /// It answers the calls of these waiters: one whole batch.
        case answersBatch([Waiter])
        /// It answers the call of this waiter, which has this id.
        case answersCall(Waiter, RequestID)
        /// It cannot be assigned to a call.
        case doNothing
    }

    enum ErrorPlace: Sendable, CaseIterable {
        /// It is a whole message.
        case message
        /// It is the only response in an array.
        case array
        /// It is in an array with other responses.
        case arrayOfResponses
        /// It is in an array with other errors without a usable id.
        case arrayOfErrors
    }

    /// Handles a response with an error and without a usable id.
    ///
    /// - Parameter error: The error. If it answers no call, calls that time out mention it.
    mutating func errorWithoutIDReceived(
        _ place: ErrorPlace, _ error: @autoclosure () -> UnattributedError? = nil
    ) -> ErrorWithoutIDAction {
        let action = attributeError(place)
        if case .doNothing = action, inFlight > 0, let error = error() { unattributedError = error }
        return action
    }

    /// Decides which call or batch an error without a usable id answers.
    ///
    /// A server sends it if it refuses a whole batch, and if it could not read another message. The error does not
    /// identify the message. So it answers a call or a batch only if it can concern nothing else: the call or the batch
    /// is the only one in flight, no late response is awaited, and the peer has accepted the messages that get no
    /// response.
    private mutating func attributeError(_ place: ErrorPlace) -> ErrorWithoutIDAction {
        guard inFlight > 0, recent.unanswered == 0, !mayRefuseOneWayMessage, place != .arrayOfErrors else {
            return .doNothing
        }
        if place == .message, let (array, members) = arrays.first, inFlight == members.count,
            Int(slots[Int(array)].unanswered) == members.count
        {
            return .answersBatch(takeMembers(of: array, .answered).map(\.waiter))
        }
        guard inFlight == 1, let index = slots.firstIndex(where: { $0.stage == .inFlight }) else { return .doNothing }
        // The other responses of its array belong to the same batch.
        if place == .arrayOfResponses, arrays[slots[index].array]?.count ?? 1 == 1 { return .doNothing }
        let slot = Int32(truncatingIfNeeded: index)
        let id = requestID(of: slot)
        return takeInFlight(slot, .answered).map { .answersCall($0.waiter, id) } ?? .doNothing
    }
}
