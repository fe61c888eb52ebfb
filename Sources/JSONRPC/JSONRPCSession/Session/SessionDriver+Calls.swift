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
        var tail = spareTail.take()
        writer.appendRequestTail(method: method, params: params, extra: extra, to: &tail)
        let timeout = timeout.duration(configured: configuration.callTimeout)
        return try await call(method, tail: consume tail, timeout: timeout, watch: options.watch)
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
        return try await call(method, tail: consume tail, timeout: timeout, watch: options.watch)
    }

    /// Makes a call.
    ///
    /// - Parameter tail: Everything of the request behind its id.
    func call(
        _ method: String, tail: consuming [UInt8], timeout: Duration?, watch: CallWatch?
    ) async throws -> RawJSON {
        let ticket = CallTicket()
        if case .progress(let route)? = watch { route.open() }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waiter = watch.map { CallWaiter.watched(continuation, $0) } ?? .single(continuation)
                submit(.call(tail: tail[...], id: customIDs?.next()), waiter, timeout: timeout, ticket)
                spareTail.put(&tail)
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

    /// Sends a submission, queues it at a limit, or refuses it, in one critical section.
    func submit(
        _ submission: Submission<CallWaiter>, _ waiter: CallWaiter, timeout: Duration?,
        _ ticket: borrowing CallTicket
    ) {
        let deadline = deadline(timeout)
        let (effects, outcome) = state.withLock { state -> (Effects, CallOutcome?) in
            var effects = Effects()
            if ticket.isCancelled { return (effects, .cancelled) }
            let action = state.machine.submit(submission, waiter, deadline: deadline, to: &state.outbox)
            effects.wakes = state.outbox.takeWake()
            switch action {
            case .registered(let key, let timer):
                ticket.key = key
                effects.timer = timer
                return (effects, nil)
            case .sent, .mustWait: return (effects, .sent)
            case .refused(let refusal): return (effects, .failure(failure(refusal, state)))
            }
        }
        run(effects)
        if let outcome { waiter.settle(outcome) }
    }

    /// Returns the failure of a message that is not sent.
    func failure(_ refusal: Machine.Refusal, _ state: State) -> CallFailure {
        switch refusal {
        case .phase(let phase): self.refusal(phase, state)
        case .tooManyCalls(let calls):
            CallFailure(
                code: .batchTooLarge,
                message:
                    "Could not send a batch of \(calls) calls at once: `maximumCallsInFlight` is "
                    + "\(configuration.maximumCallsInFlight). Raise it, or lower `batchLimits`.",
                delivery: .notSent)
        case .idInUse(let id):
            CallFailure(
                code: .requestIDInUse,
                message: "Could not send the request: the id generator returned the id of a call in flight.",
                delivery: .notSent, requestID: id)
        }
    }

    private func refusal(_ phase: SessionState, _ state: State) -> CallFailure {
        switch phase {
        case .connecting, .open:
            CallFailure(code: .notConnected, message: "The session is not connected.", delivery: .notSent)
        case .draining, .closing:
            state.machine.violation.map { closing(because: $0, .notSent) }
                ?? CallFailure(code: .closed, message: "The connection is closing.", delivery: .notSent)
        case .closed:
            state.machine.closure.map { failure($0, state.machine.violation, .notSent, nil) }
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
            let actions = state.machine.cancelRequested(CollectionOfOne(key), &state.outbox)
            add(actions, &state, to: &effects)
            return effects
        }
        endObsoleteSleep()
        run(effects)
    }

    /// - Parameter own: The notice of the call, for a session without a notice.
    func sendCancellationNotice(_ id: RequestID, own: CancellationNotice?) {
        guard let (method, params) = configuration.cancellationNotice.compose(id) ?? own?.compose(id) else { return }
        var bytes: [UInt8] = []
        writer.appendNotification(method: method, params: params, extra: configuration.extraMembers, to: &bytes)
        let wakes = state.withLock { state in
            state.machine.sendNotice(bytes, to: &state.outbox)
            return state.outbox.takeWake()
        }
        wakes?.wake()
        tracer?.deliver()
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
                await withUnsafeContinuation { submit(.oneWay(message), .single($0), timeout: nil, ticket) }
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
        let (outcome, wakes) = state.withLock { state -> (CallOutcome?, (any MessageTransport)?) in
            switch state.machine.submit(.oneWay(message), nil, to: &state.outbox) {
            case .sent: (.sent, state.outbox.takeWake())
            case .mustWait, .registered: (nil, nil)
            case .refused(let refusal): (.failure(failure(refusal, state)), nil)
            }
        }
        wakes?.wake()
        tracer?.deliver()
        return outcome
    }
}
