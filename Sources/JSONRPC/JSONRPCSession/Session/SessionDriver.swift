// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Logging
import Synchronization
import TaskWaits
import WireJSON

/// Performs the actions of the state machine. It owns the session's lock, and is the only place that settles waiters.
///
/// Under one lock, the machine takes the next id, puts the request into the outbox, and stores the waiter. So the order
/// of ids is the order on the wire, and no response can arrive before its waiter. The driver performs the side effects
/// of an event (resuming tasks, waking the transport, events, timers) after the lock is released.
final class SessionDriver: Sendable {
    typealias Machine = SessionStateMachine<CallWaiter>

    struct State {
        var machine: Machine
        var outbox: SessionOutbox
    }

    /// The counters other than those of calls.
    struct Record {
        var irregularities = IrregularityLedger()
        var roundTrips = RoundTripTimes()
    }

    let configuration: SessionConfiguration
    let coder: any MessageCoder
    let endpoint: EndpointState
    let interceptsNothing: Bool
    /// Whether the peer's calls reach their handlers without interceptors.
    let interceptsNothingInbound: Bool
    let inboundNoticeMethod: String?
    /// Fulfilled after the session is closed, when all its calls have been settled.
    let end = OneTimeSignal()
    let clock: any SessionClock
    let timer: SessionTimer
    /// Whether the timer ends with the deadlines for which it was set.
    private let endsObsoleteSleeps: Bool
    let configuredTimeout: Int64
    let writer: EnvelopeWriter
    let reader: MessageReader
    let scanner: EnvelopeScanner
    /// `nil` if there is neither a trace closure nor a logger at `trace` level.
    let tracer: WireTracer?
    /// Set if ids come from a custom generator, which is not called under the session's lock.
    let customIDs: SharedIDs?
    /// The memory in which a call's params are encoded.
    let spareTail = SpareBytes(limit: SessionOutbox.sharingThreshold)
    let state: Mutex<State>
    /// A leaf lock: no other lock is taken while it is held.
    let record = Mutex(Record())
    /// The answers that wait for the other answers of their arrays.
    let heldAnswers: HeldAnswers
    /// Whether the session does not read, because the peer does not read its answers. It can be read without the lock.
    let isReadingPaused = Atomic<Bool>(false)
    // The four below are used only in calls of `MessageReceiver`, which come from one thread at a time. Nothing that runs
    // in such a call, such as a consumer that is woken, makes another one, so accesses are exclusive without a check at run
    // time.
    @exclusivity(unchecked) nonisolated(unsafe) var arrived = ArrivedResponses()
    @exclusivity(unchecked) nonisolated(unsafe) var pendingWakeups = PendingWakeups()
    @exclusivity(unchecked) nonisolated(unsafe) var probes = ProbeEchoes()
    @exclusivity(unchecked) nonisolated(unsafe) var livenessTimes = LivenessTimes()

    init(configuration: SessionConfiguration, endpoint: EndpointState) {
        // The client's hook may capture an object that keeps the session, so the session does not keep the hook.
        var configuration = configuration
        configuration.onConnect = nil
        self.configuration = configuration
        coder = configuration.coder
        self.endpoint = endpoint
        interceptsNothing = configuration.calls.interceptors.isEmpty
        interceptsNothingInbound = configuration.inbound.interceptors.isEmpty
        inboundNoticeMethod = configuration.calls.cancellationNotice.inbound?.method
        clock = anchored(configuration.clock)
        timer = SessionTimer(clock: clock)
        endsObsoleteSleeps = !(configuration.clock is ContinuousClock)
        configuredTimeout = configuration.calls.timeout.map(SessionTime.nanoseconds(in:)) ?? 0
        writer = EnvelopeWriter(version: configuration.version.outbound)
        heldAnswers = HeldAnswers(limit: configuration.inbound.maximumBytes)
        reader = MessageReader(strictness: configuration.strictness, version: configuration.version.inbound)
        scanner = EnvelopeScanner(limits: configuration.jsonLimits)
        tracer = WireTracer(configuration)
        customIDs = SharedIDs(custom: configuration.calls.idGenerator)
        let outbox = SessionOutbox(
            limit: max(configuration.calls.maximumQueuedBytes, SessionConfiguration.Calls.minimumQueuedBytes),
            ids: IDSource(configuration.calls.idGenerator), writer: writer, tracer: tracer)
        let machine = Machine(
            maximumCallsInFlight: configuration.calls.maximumInFlight, countsIDs: outbox.countsIDs,
            recentIDs: configuration.calls.rememberedIDs)
        state = Mutex(State(machine: machine, outbox: outbox))
    }

    var phase: DuplexSession.State { state.withLock { $0.machine.phase } }

    // MARK: A call

    func call(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try checkParams(params, method)
        let extra = extraMembers(options)
        var tail = spareTail.take()
        writer.appendRequestTail(method: method, params: params, extra: extra, to: &tail)
        let timeout = timeout.duration(configured: configuration.calls.timeout)
        return try await call(method, tail: consume tail, timeout: timeout, watch: options.watch)
    }

    /// Makes a call and encodes its params directly into the message.
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
        let timeout = timeout.duration(configured: configuration.calls.timeout)
        return try await call(method, tail: consume tail, timeout: timeout, watch: options.watch)
    }

    /// Makes a call with the part of the request after its id.
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
        case .success(let result): return result
        case .failure(let error): throw error.naming(method: method).underlying
        }
    }

    func extraMembers(_ options: CallOptions) -> ExtraMembers {
        options.extraMembers.isEmpty
            ? configuration.calls.extraMembers : configuration.calls.extraMembers.merging(options.extraMembers)
    }

    func deadline(_ timeout: Duration?) -> CallDeadline? {
        guard let timeout else { return nil }
        if timeout == configuration.calls.timeout {
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
        // A variable, not a part of the result, because a tuple would be copied.
        var effects = Effects()
        let outcome = state.withLock { state -> CallOutcome? in
            if ticket.isCancelled { return .failure(.cancelled) }
            let action = state.machine.submit(submission, waiter, deadline: deadline, to: &state.outbox)
            effects.wakes = state.outbox.takeWake()
            switch action {
            case .registered(let key, let timer):
                ticket.key = key
                effects.timer = timer
                return nil
            case .sent, .mustWait: return .sent
            case .refused(let refusal): return .failure(.failed(failure(refusal, state)))
            }
        }
        run(effects)
        if let outcome { waiter.settle(outcome) }
    }

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

    // MARK: After the lock

    /// The side effects to perform after the lock is released.
    struct Effects: Sendable {
        var wakes: (any MessageTransport)?
        var timer: SessionTime?
        var settled: [(waiter: CallWaiter, outcome: CallOutcome)] = []
        /// Calls that were cancelled or timed out after they were sent.
        var notices: [(id: RequestID, own: CancellationNotice?)] = []
        var closes: (transport: any MessageTransport, request: CloseRequest)?
        var newPhase: DuplexSession.State?
        var pausesReading = false
    }

    func perform(_ event: (inout Machine, inout SessionOutbox) -> Machine.Actions) {
        let effects = state.withLock { state in
            var effects = Effects()
            add(event(&state.machine, &state.outbox), &state, to: &effects)
            return effects
        }
        run(effects)
        // A session that was never open has no transport to report its end.
        guard effects.newPhase == .closed else { return }
        endpoint.sessionEnded(nil)
        end.fulfil()
    }

    func run(_ effects: Effects) {
        if let timer = effects.timer { set(timer) }
        if effects.pausesReading { pauseReading() }
        for (waiter, outcome) in effects.settled { waiter.settle(outcome) }
        effects.wakes?.wake()
        for (id, own) in effects.notices { sendCancellationNotice(id, own: own) }
        tracer?.deliver()
        if let phase = effects.newPhase { endpoint.events.publish(.stateChanged(phase)) }
        if let (transport, request) = effects.closes {
            transport.close(code: request.code, reason: request.reason, deadline: request.deadline)
        }
    }

    func set(_ time: SessionTime) {
        timer.set(to: time) { [weak self] in self?.timerWentOff() }
    }

    /// Ends the timer's sleep if the deadline for which it was set has gone.
    ///
    /// With the continuous clock, the timer sleeps on, because that costs less than a new task for each call. A test
    /// clock shows its sleepers, so no sleeper of an ended call may be left.
    func endObsoleteSleep() {
        guard endsObsoleteSleeps, state.withLock({ $0.machine.timerIsObsolete() }) else { return }
        timer.clear()
        // A call that began meanwhile may have set the timer before it was cleared.
        if let time = state.withLock({ $0.machine.timerDeadline }) { set(time) }
    }

    private func timerWentOff() -> SessionTime? {
        let now = clock.now
        let transport = state.withLock { $0.machine.isDue(now: now) ? $0.outbox.transport : nil }
        guard let transport else { return judgeDeadlines(now: now) }
        // After the process was suspended, responses that arrived in time may still be in the socket.
        transport.afterReading { [weak self] in
            guard let self, let next = judgeDeadlines(now: now) else { return }
            set(next)
        }
        return nil
    }

    /// Ends the calls whose deadlines have passed. Returns the time of the next deadline.
    private func judgeDeadlines(now: SessionTime) -> SessionTime? {
        var next: SessionTime?
        repeat {
            var effects = Effects()
            next = state.withLock { state in
                let (actions, next) = state.machine.deadlineReached(now: now, &state.outbox)
                add(actions, &state, to: &effects)
                return next
            }
            run(effects)
        } while next.map { $0 <= now } ?? false
        return next
    }

    /// Adds the actions of an event to the effects. It is called under the lock.
    func add(_ actions: Machine.Actions, _ state: inout State, to effects: inout Effects) {
        for (waiter, ending) in actions.ended {
            effects.settled.append((waiter, outcome(ending, state)))
            switch ending {
            case .cancelled(let sent?, .outcomeUnknown), .timedOut(let sent?, .outcomeUnknown):
                effects.notices.append((sent.id, waiter.ownNotice))
                state.machine.lateReceivers[sent.id]?.expect()
            case .cancelled, .timedOut, .sent, .refused: break
            }
        }
        effects.timer = actions.timer ?? effects.timer
        effects.newPhase = actions.newPhase ?? effects.newPhase
        if actions.pausesReading {
            isReadingPaused.store(true, ordering: .relaxed)
            effects.pausesReading = true
        }
        if let request = actions.closes, let transport = state.outbox.transport {
            effects.closes = (transport, request)
        }
        effects.wakes = state.outbox.takeWake() ?? effects.wakes
    }

    private func outcome(_ ending: Machine.Ending, _ state: State) -> CallOutcome {
        switch ending {
        case .sent: .sent
        case .cancelled: .failure(.cancelled)
        case .refused(let refusal): .failure(.failed(failure(refusal, state)))
        case .timedOut(let sent, let delivery):
            .failure(
                .failed(
                    ClientError(
                        .timedOut, timeoutMessage(sent, state.machine.unattributedError), requestID: sent?.id,
                        delivery: delivery)))
        }
    }

    private func timeoutMessage(_ sent: Machine.Sent?, _ error: UnattributedError?) -> String {
        let message = "No response came in time."
        guard let sent, let error, error.mayAnswer(sent.ticket) else { return message }
        return message
            + " Meanwhile the peer sent an error without an id, which may be the answer: \(error.text)."
    }
}

/// An array whose memory is reused. It never blocks: if the array is in use, a new one is made.
struct SpareBytes: ~Copyable, Sendable {
    private let spare = Mutex<[UInt8]>([])
    /// The largest number of bytes that are kept.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func take() -> [UInt8] {
        spare.withLockIfAvailable { spare in
            var taken: [UInt8] = []
            swap(&spare, &taken)
            return taken
        } ?? []
    }

    /// Takes an array back, and leaves an empty array to the caller.
    func put(_ bytes: inout [UInt8]) {
        var returned: [UInt8] = []
        swap(&bytes, &returned)
        guard returned.capacity <= limit else { return }
        returned.removeAll(keepingCapacity: true)
        // The array that it replaces is released after the lock.
        _ = spare.withLockIfAvailable { swap(&$0, &returned) }
    }
}
