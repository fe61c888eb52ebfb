// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Logging
import Synchronization
import WireJSON

/// Carries out what the state machine says: the one lock, and the one place where waiters are settled.
///
/// Within one critical section it takes the next id, hands the request to the transport, and registers the waiter. So
/// the order of ids is the order on the wire, and no response can come before its waiter. Ids of the program's own
/// generator are drawn before: see ``CustomIDs``. The consequences of an event (resuming, waking the transport, events,
/// trace, timers) follow after the lock is released.
final class SessionDriver: Sendable {
    typealias Machine = SessionStateMachine<CallWaiter, QueuedMessage>

    /// What the lock protects.
    struct State {
        var machine: Machine
        var ids: IDSource
        var outbox: OutboxGauge
        var transport: (any MessageTransport)?
        /// What the first wish to close said.
        var farewell: Farewell?
        /// Why this side closed the connection, when the peer gave the reason.
        var violation: CallFailure?
        var closure: SessionClosure?
        var inbound = InboundCallTable()
        /// The last error without a usable id that answered no call.
        var unattributedError: UnattributedError?
        /// Calls for synchronous handlers which the serving task has not taken yet.
        var burst: [QueuedServing] = []
        /// True while there is a serving task.
        var isServingBursts = false
        /// Set while the connection is not read, because the peer does not take its answers.
        var readingPause: ReadingPause?
        var closeWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextCloseWaiter: UInt64 = 0
    }

    /// How to say goodbye.
    struct Farewell: Sendable {
        var code: UInt16
        var reason: String
        var deadline: Duration
    }

    let configuration: SessionConfiguration
    let coder: any MessageCoder
    let parts: SessionParts
    /// True when calls go out without interceptors.
    let interceptsNothing: Bool
    /// True when the peer's calls reach their handlers without interceptors.
    let interceptsNothingInbound: Bool
    let clock: any SessionClock
    let timer: SessionTimer
    /// The configured timeout of a call.
    let configuredTimeout: Int64
    let writer: EnvelopeWriter
    /// A request up to its id.
    let requestHead: [UInt8]
    let reader: MessageReader
    let scanner: EnvelopeScanner
    /// Nil if nobody wants a trace.
    let tracer: WireTracer?
    /// Set if ids come from a generator of the program's, which is not called under the session's lock.
    let customIDs: CustomIDs?
    let state: Mutex<State>
    /// A leaf lock.
    let ledger = Mutex(IrregularityLedger())
    /// True while ``State/readingPause`` is set, to be looked at without the lock.
    let isReadingPaused = Atomic<Bool>(false)
    /// Touched only in calls of ``MessageReceiver``, which come from one thread at a time.
    nonisolated(unsafe) var arrived = ArrivedResponses()
    /// Touched only in calls of ``MessageReceiver``, which come from one thread at a time.
    nonisolated(unsafe) var probes = ProbeEchoes()

    init(configuration: SessionConfiguration, parts: SessionParts) {
        self.configuration = configuration
        coder = configuration.coder
        self.parts = parts
        interceptsNothing = configuration.interceptors.isEmpty
        interceptsNothingInbound = configuration.inboundInterceptors.isEmpty
        clock = anchored(configuration.clock)
        timer = SessionTimer(clock: clock)
        configuredTimeout = configuration.callTimeout.map(SessionTime.nanoseconds(in:)) ?? 0
        writer = EnvelopeWriter(version: configuration.version.outbound)
        requestHead = Array(configuration.version.outbound.requestHead.utf8)
        reader = MessageReader(strictness: configuration.strictness, version: configuration.version.inbound)
        scanner = EnvelopeScanner(limits: configuration.jsonLimits)
        tracer = WireTracer(configuration)
        customIDs = CustomIDs(configuration.idGenerator)
        let ids = IDSource(configuration.idGenerator)
        let machine = Machine(
            maximumCallsInFlight: configuration.maximumCallsInFlight, countsIDs: isCounting(ids),
            recentIDs: configuration.rememberedIDs)
        let limit = max(configuration.maximumQueuedBytes, SessionConfiguration.minimumQueuedBytes)
        state = Mutex(State(machine: machine, ids: ids, outbox: OutboxGauge(limit: limit)))
    }

    var phase: Machine.Phase { state.withLock { $0.machine.phase } }

    // MARK: After the lock

    /// What is to be done once the lock is released.
    struct Effects: Sendable {
        /// To be woken.
        var wakes: (any MessageTransport)?
        var timer: SessionTime?
        var settled: [(waiter: CallWaiter, outcome: CallOutcome)] = []
        /// Given up calls whose requests the peer has got.
        var notices: [RequestID] = []
        var closes: (transport: any MessageTransport, farewell: Farewell)?
        var newPhase: SessionState?
        /// The connection is to be read no more for the time being.
        var pausesReading = false
    }

    /// Does what an event led to.
    func run(_ effects: Effects) {
        if let timer = effects.timer { set(timer) }
        if effects.pausesReading { pauseReading() }
        for (waiter, outcome) in effects.settled { waiter.settle(outcome) }
        effects.wakes?.wake()
        for id in effects.notices { sendCancellationNotice(id) }
        tracer?.deliver()
        if let phase = effects.newPhase { parts.events.publish(.stateChanged(phase)) }
        if let (transport, farewell) = effects.closes {
            transport.close(code: farewell.code, reason: farewell.reason, deadline: farewell.deadline)
        }
    }

    func set(_ time: SessionTime) {
        timer.set(to: time) { [weak self] in self?.timerWentOff() }
    }

    private func timerWentOff() -> SessionTime? {
        var next: SessionTime?
        repeat {
            let now = clock.now
            var effects = Effects()
            next = state.withLock { state in
                let action = state.machine.deadlineReached(now: now)
                let error = state.unattributedError
                giveUp(action.expired, { timedOut($0, $1, error) }, &state, &effects)
                if action.closesTransport { closeTransport(&state, &effects) }
                admitWaiting(&state, &effects)
                return action.next
            }
            run(effects)
        } while next.map { $0 <= clock.now } ?? false
        return next
    }

    private func timedOut(
        _ delivery: Delivery, _ sent: Machine.Sent?, _ error: UnattributedError?
    ) -> CallOutcome {
        var message = "No response came in time."
        if let sent, let error, error.mayAnswer(sent) {
            message += " Meanwhile the peer sent an error without an id, which may be the answer: \(error.text)."
        }
        return .failure(CallFailure(code: .timedOut, message: message, delivery: delivery, requestID: sent?.id))
    }
}

/// A message that waits until there is room for it.
enum QueuedMessage: Sendable {
    /// A request's tail, without its head and id. The id is known already where it comes from a generator of the
    /// program's.
    case call(tail: [UInt8], id: RequestID?)
    /// A whole message.
    case notification([UInt8])
    case batch(BatchDraft)
}

extension VersionMember.Outbound {
    /// From a request's opening brace to its id.
    fileprivate var requestHead: String {
        switch self {
        case .sent: #"{"jsonrpc":"2.0","id":"#
        case .omitted: #"{"id":"#
        }
    }
}

private func isCounting(_ ids: IDSource) -> Bool {
    switch ids {
    case .numbers: true
    case .custom: false
    }
}
