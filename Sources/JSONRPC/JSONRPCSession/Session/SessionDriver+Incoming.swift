// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Logging
import Synchronization
import WireJSON

extension SessionDriver: MessageReceiver {
    func transportOpened(_ transport: any MessageTransport) {
        livenessTimes.opened = clock.now
        let isWanted = state.withLock { state in
            guard state.machine.connectionOpened() else { return false }
            state.outbox.transport = transport
            return true
        }
        if isWanted {
            endpoint.notifications.sessionOpened(transport, self)
            endpoint.events.publish(.stateChanged(.open))
        } else {
            transport.close(code: 1001, reason: "", deadline: configuration.closeTimeout)
        }
    }

    func readBegan() {
        arrived.isGathering = true
        livenessTimes.latest = clock.now
        if isReadingPaused.load(ordering: .relaxed) { readDuringPause() }
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
        record.withLock { $0.roundTrips.add(duration) }
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
        let regular = message.isBinary ? nil : envelope.regular(in: message.bytes)
        if case .response(let number, let result)? = regular {
            if let isFull = arrived.add(number, result, message) {
                if isFull { settleResponses() }
            } else {
                answer(.number(number), .success(message.result(result)), message)
            }
            return probes.messageCame()
        }
        defer { probes.messageCame() }
        if arrived.holdsOutcomes { settleArrived() }
        if let call = CallReading(regular, envelope, in: message.bytes) {
            // Consumers of notifications may wait for further notifications of the same read.
            if call.echo != nil { settleArrived() }
            return dispatch(call, message)
        }
        settleArrived()
        switch reader.kind(of: envelope) {
        case .response: receiveResponse(envelope, message, found)
        case .request, .notification:
            dispatch(reader.call(envelope, in: message.bytes, found: found), message)
        case .unknown: refuse(.notAMessage, found, message)
        }
    }

    // MARK: Responses

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
        case .result(let range?): .success(message.result(range))
        case .result(nil): .success(.null)
        case .error(let error): .failure(.answered(error))
        case .violation(let irregularity):
            violation(irregularity, id, received: Array(message.json(envelope.range).bytes))
        }
    }

    func violation(
        _ irregularity: Irregularity, _ id: RequestID?, cause: (any Error)? = nil, received: [UInt8]? = nil
    ) -> CallOutcome {
        .failure(.failed(.violation(irregularity, cause: cause, requestID: id, received: received)))
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
        case .late(let receiver):
            record.withLock { $0.irregularities.count(.lateResponse) }
            receiver.came(outcome, self)
        case .reportLate: unmatched(.lateResponse, id, message)
        case .reportDuplicate: unmatched(.duplicateResponse, id, message)
        // The session remembers only the latest calls.
        case .reportUnknown: answerCounterpart(id, outcome, message)
        }
    }

    /// Checks whether a response with an unknown id has the id of a request in the other type: `"1"` for `1`.
    private func answerCounterpart(_ id: RequestID, _ outcome: CallOutcome, _ message: ArrivedMessage) {
        guard let counterpart = id.counterpart, state.withLock({ $0.machine.slotInFlight(counterpart) != nil }) else {
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
        if irregularity == .lateResponse, configuration.calls.cancellationNotice.expectsResponse {
            return record.withLock { $0.irregularities.count(irregularity) }
        }
        let reaction = configuration.strictness[irregularity]
        if reaction >= .report { report([irregularity], message, id: id) }
        if reaction == .closeConnection { violate(irregularity) }
    }

    // MARK: Invalid messages

    /// Handles JSON that is not a message of JSON-RPC.
    private func refuse(_ irregularity: Irregularity, _ found: IrregularitySet, _ message: ArrivedMessage) {
        unusable(irregularity, found, message)
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
}

// MARK: - Responses that were read together

extension SessionDriver {
    /// Wakes the consumers of notifications, then settles the calls of the gathered responses, in the order of their
    /// arrival.
    func settleArrived() {
        settleResponses()
        arrived.buffer.flush()
    }

    /// Does the same, except that outcomes in inboxes may wait for the end of the read.
    func settleResponses() {
        pendingWakeups.perform()
        guard !arrived.responses.isEmpty else { return }
        // A local variable avoids the exclusivity check for each use of the property.
        var arrived = ArrivedResponses()
        swap(&arrived, &self.arrived)
        var buffer = OutcomeBuffer()
        swap(&buffer, &arrived.buffer)
        let effects = state.withLock { state -> Effects? in
            for response in arrived.responses {
                arrived.actions.append(state.machine.responseReceived(.number(response.id)))
            }
            return admitted(&state)
        }
        endObsoleteSleep()
        arrived.forEach { response, action in
            guard case .resume(let waiter) = action else { return settle(action, response) }
            let outcome = CallOutcome.success(RawJSON(unchecked: response.takeResult()))
            if case .inbox(let inbox, let slot) = waiter { return buffer.add(inbox, slot, outcome) }
            waiter.settle(outcome)
        }
        swap(&buffer, &arrived.buffer)
        swap(&arrived, &self.arrived)
        if let effects { run(effects) }
    }

    /// Reports a response that belongs to no call in flight.
    private func settle(_ action: Machine.ResponseAction, _ response: borrowing ArrivedResponses.Response) {
        let (id, result, kept) = (response.id, response.result, response.bytes)
        kept.withUnsafeBytes { bytes in
            let message = ArrivedMessage(bytes: bytes, owned: kept, isBinary: false)
            settle(action, .number(id), .success(message.result(result)), message)
        }
    }

    /// Sends queued messages and continues a close after calls have ended. Returns `nil` if there are no effects. It is
    /// called under the lock.
    func admitted(_ state: inout State) -> Effects? {
        guard state.machine.mayGoOn else { return nil }
        var effects = Effects()
        add(state.machine.roomAppeared(in: &state.outbox), &state, to: &effects)
        return effects
    }
}

// MARK: - Arrays

extension SessionDriver {
    /// The maximum number of members of an array that are read. A message must not take many times its size in memory:
    /// a member of one byte takes 56 bytes here.
    var maximumMembers: Int {
        let inFlight = state.withLock { $0.machine.inFlight }
        let (sum, overflow) = inFlight.addingReportingOverflow(configuration.inbound.maximumBatch)
        return overflow ? .max : max(65_536, sum)
    }

    /// Handles the members of an array. `surplus` is the number of further members that were not read.
    func receive(
        _ members: [MessageEnvelope], surplus: Int, _ message: ArrivedMessage, _ found: IrregularitySet
    ) {
        guard !members.isEmpty else { return refuse(.emptyBatch, found, message) }
        var calls: [CallReading] = []
        var withoutID: [MessageEnvelope] = []
        var hasResponses = false
        var broken = 0
        let kept = ArrivedMessage(bytes: message.bytes, owned: message.kept(), isBinary: message.isBinary)
        for envelope in members {
            if !kept.isBinary, case .response(let number, let result)? = envelope.regular(in: kept.bytes),
                let isFull = arrived.add(number, result, kept)
            {
                hasResponses = true
                if isFull { settleResponses() }
                continue
            }
            settleArrived()
            switch reader.kind(of: envelope) {
            case .response where envelope.hasUsableID:
                hasResponses = true
                receiveResponse(envelope, kept, found)
            case .response: withoutID.append(envelope)
            case .request, .notification:
                calls.append(reader.call(envelope, in: kept.bytes, found: found))
            case .unknown:
                unusable(.notAMessage, found, kept)
                broken += 1
            }
        }
        settleArrived()
        // These come last: by then the other members have answered their calls, and only one call may be left.
        let place: Machine.ErrorPlace =
            withoutID.count > 1 ? .arrayOfErrors : hasResponses ? .arrayOfResponses : .array
        for envelope in withoutID { receiveResponse(envelope, kept, found, place) }
        probes.messageCame()
        let unreadable = configuration.answersUnreadableMessages ? broken : 0
        if surplus > 0 || calls.count + unreadable > configuration.inbound.maximumBatch {
            serveOversized(calls, unreadable: unreadable, surplus: surplus, kept)
        } else {
            dispatch(calls, unreadable: unreadable, kept)
        }
    }

    /// Handles the requests and notifications of an array with too many members: see `Irregularity.oversizedBatch`.
    ///
    /// - Parameters:
    ///   - unreadable: The number of members that get an error, because they are not messages.
    ///   - surplus: The number of members that were not read. They may include notifications.
    private func serveOversized(
        _ calls: [CallReading], unreadable: Int, surplus: Int, _ message: ArrivedMessage
    ) {
        let reaction = configuration.strictness[.oversizedBatch]
        if reaction >= .report { report([.oversizedBatch], message) }
        let isUsed = reaction < .failCall
        var isAnswered = unreadable > 0 || surplus > 0 && configuration.answersUnreadableMessages
        var losesNotifications = surplus > 0
        for call in calls {
            if call.echo != nil {
                isAnswered = true
            } else if isUsed {
                dispatch(call, message)
            } else {
                losesNotifications = true
            }
        }
        if losesNotifications { endpoint.notifications.skipped() }
        if isAnswered { refuseArray() }
        if reaction == .closeConnection { violate(.oversizedBatch) }
    }
}

// MARK: - Errors without an id

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
            let action = state.machine.errorWithoutIDReceived(
                place, UnattributedError(reading.outcome, outboxEnd: state.outbox.gauge.accepted))
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
                return .failure(.answered(error))
            case .violation(let found): violated = found
            case .result: break
            }
        }
        var failure = ClientError.violation(violated, cause: reading.error, requestID: id)
        failure.message += " \(ErrorObject.attribution)"
        return .failure(.failed(failure))
    }
}
