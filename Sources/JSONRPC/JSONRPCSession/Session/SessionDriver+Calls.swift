// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    // MARK: A call

    /// Makes a call.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`.
    func call(_ call: OutboundCall) async throws -> RawJSON {
        try await self.call(call.method, params: call.params, timeout: call.timeout, options: call.options)
    }

    /// The number of late responses that are awaited. A peer that never answers costs no more than these.
    static var maximumLateAnswers: Int { 1024 }

    /// Makes a call.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`.
    func call(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try checkParams(params, method)
        let extra = extraMembers(options)
        let timeout = timeout.duration(configured: configuration.callTimeout)
        return try await call(method, timeout: timeout, watch: options.watch) { submit in
            writer.withRequestTail(method: method, params: params, extra: extra, submit)
        }
    }

    /// Makes a call whose params are encoded where the message is composed.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`.
    func call<Params: Encodable>(
        _ method: String, encoding params: Params, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        var tail = spareTail.take()
        do throws(ClientError) {
            try writer.appendRequestTail(method: method, extra: extraMembers(options), to: &tail) {
                try coder.encode(params, into: &$0)
            }
        } catch {
            spareTail.put(&tail)
            throw error
        }
        let timeout = timeout.duration(configured: configuration.callTimeout)
        return try await call(method, timeout: timeout, watch: options.watch) { submit in
            if tail.count > Self.sharingThreshold { return submit(.owned(tail[...])) }
            tail.withUnsafeBytes { submit(.borrowed($0)) }
            spareTail.put(&tail)
        }
    }

    /// Makes a call.
    ///
    /// - Parameter compose: Passes everything of the request behind its id to its argument, once.
    func call(
        _ method: String, timeout: Duration?, watch: CallWatch? = nil,
        _ compose: ((RequestTail) -> Void) -> Void
    ) async throws -> RawJSON {
        let ticket = CallTicket()
        if case .progress(let route)? = watch { route.open() }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waiter = watch.map { CallWaiter.watched(continuation, $0) } ?? .single(continuation)
                compose { submit($0, timeout: timeout, ticket, waiter) }
            }
        } onCancel: {
            cancel(ticket)
        }
        switch outcome {
        case .result(let result): return result
        case .error(let error, _): throw error.answering(method)
        case .failure(let failure): throw failure.error(method: method)
        case .cancelled, .sent: throw CancellationError()
        }
    }

    func checkParams(_ params: RawJSON?, _ method: String) throws {
        guard let params, !params.isStructured else { return }
        throw ClientError.unstructuredParams(method: method)
    }

    func extraMembers(_ options: CallOptions) -> ExtraMembers {
        options.extraMembers.isEmpty
            ? configuration.extraMembers : configuration.extraMembers.merging(options.extraMembers)
    }

    func deadline(_ timeout: Duration?) -> CallDeadline? {
        guard let timeout else { return nil }
        if timeout == configuration.callTimeout {
            return CallDeadline(time: clock.now.advanced(byNanoseconds: configuredTimeout), timeout: timeout)
        }
        return CallDeadline(time: clock.now.advanced(by: timeout), timeout: timeout)
    }

    /// Sends a request and registers its waiter, or queues it at a limit.
    private func submit(
        _ tail: RequestTail, timeout: Duration?, _ ticket: borrowing CallTicket, _ waiter: CallWaiter
    ) {
        let deadline = deadline(timeout)
        let id = customIDs?.next()
        let (effects, refused) = state.withLock { state -> (Effects, CallOutcome?) in
            if ticket.isCancelled { return (Effects(), .cancelled) }
            var effects = Effects()
            let isFull = state.transport.map { state.outbox.isFull($0) } ?? false
            switch state.machine.sendRequested(calls: 1, outboxIsFull: isFull) {
            case .send:
                switch launch(tail, id, &state, &effects) {
                case .success(let (id, outboxTicket)):
                    let action = state.machine.callSent(waiter, id: id, ticket: outboxTicket, deadline: deadline)
                    ticket.key = action.key
                    effects.timer = action.timer
                    return (effects, nil)
                case .failure(.failed(let failure)): return (effects, .failure(failure))
                case .failure(.transportEnds): break
                }
            case .wait: break
            case .refuse(let phase): return (effects, .failure(refusal(phase, state)))
            case .refuseSize: return (effects, .failure(refusal(state.machine.phase, state)))
            }
            let action = state.machine.waitBegan(
                waiter, message: .call(tail: tail.kept, id: id), kind: .call, deadline: deadline)
            ticket.key = action.key
            effects.timer = action.timer
            return (effects, nil)
        }
        run(effects)
        if let refused { waiter.settle(refused) }
    }

    /// The reason why a message was not put into the outbox.
    enum LaunchRefusal: Error {
        case failed(CallFailure)
        /// The transport refuses messages, because it is about to report its end. The message waits for the end, whose
        /// reason is the failure of its calls.
        case transportEnds
    }

    /// Assigns an id to a request, unless it has one, and puts it into the outbox. It is called under the lock.
    func launch(
        _ tail: RequestTail, _ drawn: RequestID?, _ state: inout State, _ effects: inout Effects
    ) -> Result<(RequestID, OutboxTicket), LaunchRefusal> {
        guard let transport = state.transport else {
            return .failure(.failed(refusal(state.machine.phase, state)))
        }
        let id = drawn ?? state.ids.next()
        if !state.machine.countsIDs, !state.machine.isFree(id) {
            return .failure(.failed(idInUse(id)))
        }
        let outcome = enqueue(id, tail, transport)
        switch outcome {
        case .queued(let ticket, let mustWake):
            state.outbox.noteAccepted(ticket, bytes: requestHead.count + tail.count)
            if mustWake { effects.wakes = transport }
            return .success((id, ticket))
        case .refused: return .failure(.transportEnds)
        }
    }

    /// Puts a request into the outbox in two pieces: the part up to the id, and the tail. With a number as its id, the
    /// first piece is composed on the stack, because every call does this under the lock.
    private func enqueue(
        _ id: RequestID, _ tail: RequestTail, _ transport: any MessageTransport
    ) -> EnqueueOutcome {
        switch tail {
        case .borrowed(let bytes): return enqueue(id, bytes, transport)
        case .owned(let bytes):
            guard bytes.count > Self.sharingThreshold else {
                return bytes.withUnsafeBytes { enqueue(id, $0, transport) }
            }
            return enqueue(sharing: [requestStart(id)[...], bytes], to: transport)
        }
    }

    private func enqueue(
        _ id: RequestID, _ tail: UnsafeRawBufferPointer, _ transport: any MessageTransport
    ) -> EnqueueOutcome {
        switch id {
        case .number(let number):
            let capacity = requestHead.count + JSONText.maximumDigits
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
                let digits = JSONText.writeDigits(number, endingAt: buffer)
                // The head is placed before the digits. The buffer has room for the longest number.
                let start = digits - requestHead.count
                for index in requestHead.indices { buffer[start + index] = requestHead[index] }
                let head = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start...])
                return enqueue(head, tail, transport)
            }
        case .string:
            return requestStart(id).withUnsafeBytes { enqueue($0, tail, transport) }
        }
    }

    private func enqueue(
        _ head: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, _ transport: any MessageTransport
    ) -> EnqueueOutcome {
        withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 2) { pieces in
            pieces.initializeElement(at: 0, to: head)
            pieces.initializeElement(at: 1, to: tail)
            return enqueue(UnsafeBufferPointer(pieces), to: transport)
        }
    }

    func idInUse(_ id: RequestID) -> CallFailure {
        CallFailure(
            code: .requestIDInUse,
            message: "Could not send the request: the id generator returned the id of a call in flight.",
            delivery: .notSent, requestID: id)
    }

    /// Returns the failure of a message that cannot be sent in this phase.
    func refusal(_ phase: Machine.Phase, _ state: State) -> CallFailure {
        switch phase {
        case .connecting, .open:
            CallFailure(code: .notConnected, message: "The session is not connected.", delivery: .notSent)
        case .draining, .closing:
            state.violation.map { closing(because: $0, .notSent) }
                ?? CallFailure(code: .closed, message: "The connection is closing.", delivery: .notSent)
        case .closed:
            state.closure.map { failure($0, state.violation, .notSent, nil) }
                ?? CallFailure(code: .closed, message: "The session is closed.", delivery: .notSent)
        }
    }

    // MARK: Cancellation

    /// Cancels a call.
    func cancel(_ ticket: borrowing CallTicket) {
        let effects = state.withLock { state in
            var effects = Effects()
            guard let key = ticket.key else {
                ticket.cancel()
                return effects
            }
            giveUp(state.machine.cancelRequested(key), { _, _ in .cancelled }, &state, &effects)
            admitWaiting(&state, &effects)
            return effects
        }
        endObsoleteSleep()
        run(effects)
    }

    /// Settles calls that were cancelled or timed out, and withdraws their requests if they are still in the outbox. It
    /// is called under the lock.
    func giveUp(
        _ calls: [Machine.Abandoned], _ outcome: (Delivery, Machine.Sent?) -> CallOutcome, _ state: inout State,
        _ effects: inout Effects
    ) {
        var last: (ticket: OutboxTicket, isWithdrawn: Bool)?
        for call in calls {
            guard let sent = call.sent else {
                effects.settled.append((call.waiter, outcome(.notSent, nil)))
                continue
            }
            // The members of a batch share one ticket, and a message can be withdrawn only once.
            let isWithdrawn: Bool
            if let last, last.ticket == sent.ticket {
                isWithdrawn = last.isWithdrawn
            } else {
                isWithdrawn = state.transport?.withdraw(sent.ticket) ?? false
                last = (sent.ticket, isWithdrawn)
            }
            if isWithdrawn {
                state.machine.requestWithdrawn()
                tracer?.withdrawn(sent.id)
            }
            effects.settled.append((call.waiter, outcome(isWithdrawn ? .notSent : .outcomeUnknown, sent)))
            if !isWithdrawn {
                effects.notices.append((sent.id, call.waiter.ownNotice))
                if case .watched(_, .lateAnswer(let late)) = call.waiter,
                    state.lateAnswers.count < Self.maximumLateAnswers
                {
                    late.expect()
                    state.lateAnswers[sent.id] = late
                }
            }
        }
        if !calls.isEmpty, state.machine.drained() { closeTransport(&state, &effects) }
    }

    /// - Parameter own: The notice of the call, for a session without a notice.
    func sendCancellationNotice(_ id: RequestID, own: CancellationNotice?) {
        guard let (method, params) = configuration.cancellationNotice.compose(id) ?? own?.compose(id) else { return }
        var bytes: [UInt8] = []
        writer.appendNotification(method: method, params: params, extra: configuration.extraMembers, to: &bytes)
        enqueue(bytes)
    }

    /// Sends a notice without waiting for room. The number of notices is bounded by the number of calls.
    private func enqueue(_ bytes: [UInt8]) {
        let wakes = state.withLock { state -> (any MessageTransport)? in
            guard let transport = state.transport,
                case .queued(_, mustWake: true) = putOneWay(bytes, transport, &state)
            else { return nil }
            return transport
        }
        wakes?.wake()
        tracer?.deliver()
    }

    /// Puts a whole message that gets no response into the outbox. It is called under the lock.
    func putOneWay(_ bytes: [UInt8], _ transport: any MessageTransport, _ state: inout State) -> EnqueueOutcome {
        let outcome = enqueue(whole: bytes, to: transport)
        if case .queued(let ticket, _) = outcome {
            state.outbox.noteAccepted(ticket, bytes: bytes.count)
            state.machine.oneWayMessageSent()
        }
        return outcome
    }

    // MARK: A notification

    /// Sends a notification. It waits only for room in the outbox.
    func notify(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try checkParams(params, method)
        let extra = extraMembers(options)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + method.utf8.count + (params?.bytes.count ?? 0) + extra.bytes.count)
        writer.appendNotification(method: method, params: params, extra: extra, to: &bytes)
        try await send(bytes, method: method)
    }

    /// Sends a whole message without calls.
    func send(_ message: [UInt8], method: String?) async throws {
        try Task.checkCancellation()
        let outcome: CallOutcome
        if let now = sendNow(message) {
            outcome = now
        } else {
            let ticket = CallTicket()
            outcome = await withTaskCancellationHandler {
                await withUnsafeContinuation { submitNotification(message, ticket, .single($0)) }
            } onCancel: {
                cancel(ticket)
            }
        }
        switch outcome {
        case .sent, .result: return
        case .failure(let failure): throw failure.error(method: method)
        case .error(let error, _): throw error
        case .cancelled: throw CancellationError()
        }
    }

    /// Puts a message without calls into the outbox. Returns `nil` if it must wait.
    private func sendNow(_ message: [UInt8]) -> CallOutcome? {
        let (outcome, wakes) = state.withLock { put(message, &$0) }
        wakes?.wake()
        tracer?.deliver()
        return outcome
    }

    /// Puts a message without calls into the outbox, unless it must wait. Returns the transport to wake. It is called
    /// under the lock.
    private func put(_ message: [UInt8], _ state: inout State) -> (CallOutcome?, wakes: (any MessageTransport)?) {
        let isFull = state.transport.map { state.outbox.isFull($0) } ?? false
        switch state.machine.sendRequested(calls: 0, outboxIsFull: isFull) {
        case .send:
            guard let transport = state.transport else { return (.failure(refusal(.connecting, state)), nil) }
            switch putOneWay(message, transport, &state) {
            case .queued(_, let mustWake): return (.sent, mustWake ? transport : nil)
            // It waits for the end of the transport, whose reason is its failure.
            case .refused: return (nil, nil)
            }
        case .wait: return (nil, nil)
        case .refuse(let phase): return (.failure(refusal(phase, state)), nil)
        case .refuseSize: return (.failure(refusal(state.machine.phase, state)), nil)
        }
    }

    func submitNotification(_ message: [UInt8], _ ticket: borrowing CallTicket, _ waiter: CallWaiter) {
        let (effects, outcome) = state.withLock { state -> (Effects, CallOutcome?) in
            var effects = Effects()
            if ticket.isCancelled { return (effects, .cancelled) }
            let outcome: CallOutcome?
            (outcome, effects.wakes) = put(message, &state)
            if outcome == nil {
                let action = state.machine.waitBegan(
                    waiter, message: .notification(message), kind: .notification, deadline: nil)
                ticket.key = action.key
            }
            return (effects, outcome)
        }
        run(effects)
        if let outcome { waiter.settle(outcome) }
    }
}
