// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Logging
import Synchronization
import WireJSON

/// A message from the peer, and the storage of its bytes.
struct ArrivedMessage {
    let bytes: UnsafeRawBufferPointer
    /// The bytes, if the session may keep them.
    let owned: [UInt8]?
    let isBinary: Bool

    /// Returns a value in the message, in storage that outlives the message.
    func json(_ range: Range<Int>) -> RawJSON {
        if let owned { return RawJSON(unchecked: owned[range]) }
        return RawJSON(unchecked: [UInt8](UnsafeRawBufferPointer(rebasing: bytes[range])))
    }

    /// Returns a value in the message for storing: see ``StoredPart``.
    func detached(_ range: Range<Int>, slack: Int = 256) -> RawJSON {
        if StoredPart.sharesWell(range.count, of: bytes.count, slack: slack) { return json(range) }
        return RawJSON(unchecked: [UInt8](UnsafeRawBufferPointer(rebasing: bytes[range])))
    }

    /// Returns a result in the message.
    func result(_ range: Range<Int>) -> RawJSON { detached(range, slack: StoredPart.resultSlack) }

    /// Returns the message with bytes that can be kept, so that several values can share them.
    func kept() -> [UInt8] { owned ?? [UInt8](bytes) }
}

extension SessionDriver: MessageReceiver {
    func transportOpened(_ transport: any MessageTransport) {
        livenessTimes.opened = clock.now
        let isWanted = state.withLock { state in
            guard state.machine.connectionOpened() else { return false }
            state.outbox.transport = transport
            return true
        }
        if isWanted {
            endpoint.sessionOpened(transport, self)
            endpoint.events.publish(.stateChanged(.open))
        } else {
            transport.close(code: 1001, reason: "", deadline: configuration.closeTimeout)
        }
    }

    func readBegan() {
        arrived.isGathering = true
        livenessTimes.latest = clock.now
        if isReadingPaused.load(ordering: .relaxed) { readingGoesOn() }
    }

    func readEnded() {
        arrived.isGathering = false
        settleArrived()
    }

    func messageReceived(_ message: InboundMessage) {
        // Messages that were read together have one time.
        if !arrived.isGathering { livenessTimes.latest = clock.now }
        receive(message)
    }

    func outboxDrained() {
        roomAppeared()
        resumeReading()
    }

    func roundTripMeasured(_ duration: Duration) {
        probes.answered()
        livenessTimes.latest = clock.now
        roundTrips.withLock { $0.add(duration) }
        endpoint.roundTripMeasured(duration)
    }
}

extension SessionDriver {
    /// Handles one message. It runs on the transport's thread.
    func receive(_ message: InboundMessage) {
        if let tracer {
            tracer.received(message)
            tracer.deliver()
        }
        switch message.content {
        case .borrowed(let bytes):
            receive(ArrivedMessage(bytes: bytes, owned: nil, isBinary: message.isBinary))
        case .owned(let array):
            array.withUnsafeBytes {
                receive(ArrivedMessage(bytes: $0, owned: array, isBinary: message.isBinary))
            }
        }
    }

    private func receive(_ message: ArrivedMessage) {
        let found: IrregularitySet = message.isBinary ? [.binaryMessage] : []
        var members: [MessageEnvelope] = []
        do throws(MessageScanFailure) {
            switch try scanner.scan(message.bytes, members: &members, maximumMembers: { maximumMembers }) {
            case .single(let envelope): receive(envelope, message, found)
            case .batch(let count):
                settleArrived()
                receive(members, surplus: count - members.count, message, found)
            }
        } catch {
            settleArrived()
            probes.messageCame()
            receive(error, message, found)
        }
    }

    private func receive(_ envelope: MessageEnvelope, _ message: ArrivedMessage, _ found: IrregularitySet) {
        if !message.isBinary, let (number, result) = plainResult(envelope) {
            switch arrived.add(number, result, message) {
            case .added(let isFull): if isFull { settleResponses() }
            case .refused: answer(.number(number), .result(message.result(result)), message)
            }
            return probes.messageCame()
        }
        defer { probes.messageCame() }
        if arrived.holdsOutcomes { settleArrived() }
        if !message.isBinary, deliverPlain(envelope, message) { return }
        settleArrived()
        if !message.isBinary, servePlain(envelope, message) { return }
        switch reader.kind(of: envelope) {
        case .response: receiveResponse(envelope, message, found)
        case .request, .notification:
            serve(reader.call(envelope, in: message.bytes, found: found), KeptMessage(message, envelope), batch: nil)
        case .unknown: receiveUnknown(envelope, message, found, batch: nil)
        }
    }

    /// Returns the id and the result of the most frequent message, a regular response.
    @inline(__always)
    func plainResult(_ envelope: MessageEnvelope) -> (Int64, Range<Int>)? {
        guard case .number(let number) = envelope.id, let result = envelope.result, envelope.error == nil,
            envelope.version == .two, envelope.method == .absent, envelope.isObject,
            !envelope.hasExtraMembers, !envelope.hasDuplicateMembers
        else { return nil }
        return (number, result)
    }

    // MARK: Responses

    /// Handles a response.
    func receiveResponse(
        _ envelope: MessageEnvelope, _ message: ArrivedMessage, _ found: IrregularitySet,
        _ place: Machine.ErrorPlace = .message
    ) {
        let reading = reader.response(envelope, in: message.bytes, found: found)
        guard let id = reading.id.value else {
            return receiveWithoutID(reading, message, place)
        }
        answer(id, outcome(reading, id, envelope, message), message)
        if !reading.reported.isEmpty { report(reading.reported, message, id: id) }
        if reading.closesConnection { violate(reading.reported.elements.first) }
    }

    private func outcome(
        _ reading: ResponseReading, _ id: RequestID, _ envelope: MessageEnvelope, _ message: ArrivedMessage
    ) -> CallOutcome {
        switch reading.outcome {
        case .result(let range?): .result(message.result(range))
        case .result(nil): .result(.null)
        case .error(let error): .error(error, id: id)
        case .violation(let irregularity):
            violation(irregularity, id, received: Array(message.json(envelope.range).bytes))
        }
    }

    func violation(
        _ irregularity: Irregularity, _ id: RequestID?, cause: (any Error)? = nil, received: [UInt8]? = nil
    ) -> CallOutcome {
        let error = ClientError.violation(irregularity, cause: cause, requestID: id, received: received)
        return .failure(
            CallFailure(
                code: error.code, message: error.message, delivery: .answered, cause: cause, requestID: id,
                irregularity: irregularity, received: received))
    }

    /// Settles the call that a response answers.
    private func answer(_ id: RequestID, _ outcome: CallOutcome, _ message: ArrivedMessage) {
        let (action, effects) = state.withLock { state in
            (state.machine.responseReceived(id), admitted(&state))
        }
        endObsoleteSleep()
        settle(action, id, outcome, message)
        if let effects { run(effects) }
    }

    func settle(
        _ action: Machine.ResponseAction, _ id: RequestID, _ outcome: CallOutcome, _ message: ArrivedMessage
    ) {
        switch action {
        case .resume(let waiter): waiter.settle(outcome)
        case .reportLate: if !takeLate(id, outcome) { unmatched(.lateResponse, id, message) }
        case .reportDuplicate: unmatched(.duplicateResponse, id, message)
        // The session remembers only the latest calls.
        case .reportUnknown: if !takeLate(id, outcome) { answerCounterpart(id, outcome, message) }
        }
    }

    /// Passes the response to a call that was cancelled or has timed out to its receiver, if it has one.
    private func takeLate(_ id: RequestID, _ outcome: CallOutcome) -> Bool {
        let late = state.withLock { state in
            state.lateAnswers.isEmpty ? nil : state.lateAnswers.removeValue(forKey: id)
        }
        guard let late else { return false }
        ledger.withLock { $0.count(.lateResponse) }
        late.came(outcome, self)
        return true
    }

    /// Checks whether a response with an unknown id has the id of a request in the other type: `"1"` for `1`.
    private func answerCounterpart(_ id: RequestID, _ outcome: CallOutcome, _ message: ArrivedMessage) {
        guard let counterpart = id.counterpart, state.withLock({ !$0.machine.isFree(counterpart) }) else {
            return unmatched(.unknownResponse, id, message)
        }
        let irregularity: Irregularity
        switch id {
        case .number: irregularity = .numberForStringID
        case .string: irregularity = .stringForNumberID
        }
        let isUsed = configuration.strictness[irregularity] < .failCall
        answer(counterpart, isUsed ? outcome : violation(irregularity, counterpart), message)
        unmatched(irregularity, id, message)
    }

    /// Reports a response that answers no call, according to the strictness.
    private func unmatched(_ irregularity: Irregularity, _ id: RequestID, _ message: ArrivedMessage) {
        // The protocol may require a response to a cancelled call.
        if irregularity == .lateResponse, configuration.cancellationNotice.expectsResponse {
            return ledger.withLock { $0.count(irregularity) }
        }
        let reaction = configuration.strictness[irregularity]
        if reaction >= .report { report([irregularity], message, id: id) }
        if reaction == .closeConnection { violate(irregularity) }
    }

    // MARK: Invalid messages

    private func receiveUnknown(
        _ envelope: MessageEnvelope, _ message: ArrivedMessage, _ found: IrregularitySet, batch: InboundBatch?
    ) {
        unusable(.notAMessage, found, message)
        if configuration.answersUnreadableMessages { replyUnreadable(.invalidRequest) }
    }

    /// Handles a message that is not JSON or not UTF-8. If exactly one complete id could be read, only its call fails.
    private func receive(_ failure: MessageScanFailure, _ message: ArrivedMessage, _ found: IrregularitySet) {
        if message.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) {
            return unusable(.emptyMessage, found, message)
        }
        let irregularity: Irregularity = failure.isInvalidUTF8 ? .invalidUTF8 : .malformedJSON
        var id: RequestID?
        if failure.ids.count == 1, let read = failure.ids.first.flatMap({ requestID($0, in: message.bytes) }) {
            id = read
            let waiter = state.withLock { state -> CallWaiter? in
                guard state.machine.slotInFlight(read) != nil,
                    case .resume(let waiter) = state.machine.responseReceived(read)
                else { return nil }
                return waiter
            }
            waiter?.settle(violation(irregularity, read, cause: failure.error))
        }
        unusable(irregularity, found, message, id: id, syntaxError: failure.error)
        if configuration.answersUnreadableMessages { replyUnreadable(.parseError) }
        roomAppeared()
    }

    private func requestID(_ id: MessageEnvelope.ID, in bytes: UnsafeRawBufferPointer) -> RequestID? {
        switch id {
        case .number(let number): .number(number)
        case .string(let range, let isEscaped):
            // `nil` for half of a surrogate pair, which ids of this side do not contain.
            (try? StringContent.string(in: bytes, range: range, isEscaped: isEscaped)).map { .string($0) }
        case .absent, .null, .other: nil
        }
    }

    /// Sends queued messages and continues a close after the outbox has drained, or a call has ended in an unusual way.
    func roomAppeared() {
        if let effects = state.withLock({ admitted(&$0) }) { run(effects) }
    }

    /// Reports a message that cannot be used.
    func unusable(
        _ irregularity: Irregularity, _ found: IrregularitySet, _ message: ArrivedMessage, id: RequestID? = nil,
        syntaxError: JSONSyntaxError? = nil
    ) {
        var all = found
        all.insert(irregularity)
        let verdict = configuration.strictness.verdict(on: all)
        if !verdict.reported.isEmpty { report(verdict.reported, message, id: id, syntaxError: syntaxError) }
        guard verdict.closesConnection else { return }
        // RFC 6455 §7.4.1: 1007 is for text that is not UTF-8.
        violate(irregularity, closeCode: irregularity == .invalidUTF8 && !message.isBinary ? 1007 : 1002)
    }

    func report(
        _ irregularities: IrregularitySet, _ message: ArrivedMessage, id: RequestID? = nil,
        error: ErrorObject? = nil, syntaxError: JSONSyntaxError? = nil
    ) {
        let hasReaders = endpoint.events.hasReaders
        let entry = ledger.withLock { $0.note(irregularities, configuration.strictness, hasReaders: hasReaders) }
        if entry.isLogged {
            configuration.logger.debug("irregular message", metadata: ["jsonrpc.irregularities": "\(irregularities)"])
        }
        // The message is copied only if there is a reader.
        guard entry.isPublished else { return }
        endpoint.events.publish(
            .irregularMessage(
                IrregularMessage(
                    irregularities: irregularities, bytes: message.kept(), isBinary: message.isBinary, requestID: id,
                    syntaxError: syntaxError, error: error)))
    }

    func report(_ irregularities: IrregularitySet, _ message: KeptMessage, id: RequestID?) {
        message.bytes.withUnsafeBytes {
            report(
                irregularities, ArrivedMessage(bytes: $0, owned: message.bytes, isBinary: message.isBinary), id: id)
        }
    }

    /// Closes the connection because of a message from the peer, and sends the reason.
    func violate(_ irregularity: Irregularity?, closeCode: UInt16 = 1002) {
        let text = irregularity.map { "The peer sent \($0)." } ?? "The peer violated the protocol."
        let failure = CallFailure(
            code: .protocolViolation, message: text, delivery: .outcomeUnknown, irregularity: irregularity)
        let reason = irregularity.map { "Received \($0)." } ?? ""
        shut(CloseRequest(code: closeCode, reason: reason, deadline: configuration.closeTimeout), violation: failure)
    }
}

extension ResponseReading.ID {
    /// The id, if there is one.
    var value: RequestID? {
        switch self {
        case .value(let id): id
        case .null, .invalid: nil
        }
    }
}
