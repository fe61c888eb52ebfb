// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// Many calls for one consumer, a limited number at a time.
///
/// It runs in the consumer's task, which encodes requests, submits them to the session together, and decodes the
/// results. Only outcomes come from elsewhere, through the ``OutcomeInbox``. So a call costs no task, no continuation
/// and no cancellation handler.
///
/// A call occupies a *slot* from its submission until the consumer takes its outcome. The type is not generic, so that
/// the generic code around it, ``CallResults/AsyncIterator``, is small enough to be specialized in the consumer's
/// module.
///
/// When the last reference is released, calls without an outcome are cancelled.
@usableFromInline
final class FanOut {
    /// An outcome that the consumer has not taken yet.
    @usableFromInline
    struct Ready {
        @usableFromInline let slot: Int
        @usableFromInline let index: Int
        /// Errors do not name the method.
        @usableFromInline let outcome: Result<RawJSON, CallError>
    }

    @usableFromInline
    struct Lost {
        @usableFromInline let slot: Int
        let error: ClientError
        let session: DuplexSession
    }

    private struct Slot {
        var index = 0
        /// Whether the call was submitted to a session and its outcome has not been examined.
        var isSubmitted = false
        /// The entry of the call in its session. A refused call has none.
        var key: CallKey?
        /// The beginning of the call, by the clock of a client that may send it again.
        var begun = SessionTime.zero
    }

    private let route: FanOutRoute
    private let inbox: OutcomeInbox
    let timeout: CallTimeout
    let options: CallOptions
    private let limit: Int
    /// The task that reads an asynchronous sequence of requests.
    private let reader: Task<Void, Never>?

    // Only the consumer's task accesses the properties, and no call from here re-enters this type, so accesses are
    // exclusive without a check at run time. The checks would take 4 % of the instructions of a call.
    @exclusivity(unchecked) private var slots: [Slot] = []
    @exclusivity(unchecked) private var freeSlots: [Int32] = []
    @exclusivity(unchecked) private var inFlight = 0
    @exclusivity(unchecked) private var nextIndex = 0
    /// The current limit for calls. It is lower while tasks wait for a connection.
    @exclusivity(unchecked) private var room = 0
    /// The session of the calls that were submitted last.
    @exclusivity(unchecked) private var session: DuplexSession?
    /// Whether calls are submitted to ``session`` now.
    @exclusivity(unchecked) private var submits = false
    /// The session of each submitted call, by slot, if it is not ``session``.
    @exclusivity(unchecked) private var earlierSessions: [Int32: DuplexSession] = [:]
    /// The tasks of calls that are made by tasks.
    @exclusivity(unchecked) private var tasks: [Int32: Task<Void, Never>] = [:]

    /// In reverse order, so that the first outcome can be removed in O(1).
    @exclusivity(unchecked) private var arrivals: [OutcomeInbox.Arrival] = []
    /// Calls that were lost with their session, and may be sent again.
    @exclusivity(unchecked) private var lost: [Lost] = []
    @exclusivity(unchecked) private var calls: [FanOutCall] = []
    @exclusivity(unchecked) private var tails: [UInt8] = []
    /// The method of the last request without extra members of its own, and the bytes around its params.
    ///
    /// They are kept so that not every request accesses the session: it has weak references, so counting its references
    /// is slow.
    @exclusivity(unchecked) private var tailMethod: String?
    @exclusivity(unchecked) private var tailStart: [UInt8] = []
    @exclusivity(unchecked) private var tailEnd: [UInt8] = []
    @exclusivity(unchecked) private var hasSourceEnded = false
    @exclusivity(unchecked) private var sourceError: (any Error)?
    /// Whether the consumer gets no more outcomes.
    @exclusivity(unchecked) private var isOver = false

    init(
        over caller: some JSONRPCCaller, inbox: OutcomeInbox, limit: Int, timeout: CallTimeout, options: CallOptions,
        reader: Task<Void, Never>?
    ) {
        route = FanOutRoute(over: caller)
        self.inbox = inbox
        self.limit = limit
        self.timeout = timeout
        self.options = options
        self.reader = reader
    }

    deinit { giveUp() }

    // MARK: Outcomes

    @usableFromInline
    enum Step {
        /// It takes this outcome.
        case take(Ready)
        /// It sends requests while there is room, then calls ``wait()``.
        case send
        case end
    }

    /// Returns the next outcome, or the action if there is none.
    ///
    /// - Throws: A `CancellationError` if the task is cancelled.
    @usableFromInline
    func step() throws -> Step {
        if isOver { return .end }
        if Task.isCancelled { throw end(CancellationError()) }
        if let arrival = arrivals.popLast() { return .take(ready(arrival)) }
        return .send
    }

    /// Waits for an outcome or a request, unless an outcome is ready already. Returns `false` after the last outcome.
    ///
    /// - Throws: The error of an asynchronous sequence of requests.
    @usableFromInline
    func wait() async throws -> Bool {
        guard arrivals.isEmpty else { return true }
        if inFlight == 0, hasSourceEnded {
            if let sourceError { throw end(sourceError) }
            isOver = true
            return false
        }
        await inbox.takeUnlessCancelled(&arrivals)
        if route.repeater != nil { setLostAside() }
        inFlight -= arrivals.count
        arrivals.reverse()
        return true
    }

    /// Frees the slot of a call whose outcome the consumer takes.
    private func ready(_ arrival: OutcomeInbox.Arrival) -> Ready {
        let slot = Int(arrival.slot)
        if !tasks.isEmpty { tasks[arrival.slot] = nil }
        return Ready(slot: slot, index: free(slot), outcome: arrival.outcome)
    }

    private func free(_ slot: Int) -> Int {
        endSubmission(slot)
        freeSlots.append(Int32(truncatingIfNeeded: slot))
        return slots[slot].index
    }

    /// Forgets the session of a call. The keys of a session mean nothing in another.
    private func endSubmission(_ slot: Int) {
        slots[slot].isSubmitted = false
        slots[slot].key = nil
        if !earlierSessions.isEmpty { earlierSessions[Int32(truncatingIfNeeded: slot)] = nil }
    }

    private func end(_ error: any Error) -> any Error {
        isOver = true
        giveUp()
        return error
    }

    private func giveUp() {
        reader?.cancel()
        arrivals.removeAll()
        lost.removeAll()
        for task in tasks.values { task.cancel() }
        tasks.removeAll()
        guard inFlight > 0 else { return }
        inFlight = 0
        var keys: [CallKey] = []
        var earlierKeys: [ObjectIdentifier: (session: DuplexSession, keys: [CallKey])] = [:]
        for slot in slots.indices {
            guard let key = slots[slot].key else { continue }
            if let earlier = earlierSessions[Int32(truncatingIfNeeded: slot)] {
                earlierKeys[ObjectIdentifier(earlier), default: (earlier, [])].keys.append(key)
            } else {
                keys.append(key)
            }
        }
        for (session, keys) in earlierKeys.values { session.driver.cancel(keys) }
        session?.driver.cancel(keys)
        slots.removeAll()
    }

    // MARK: Calls of a lost session

    /// Moves the calls that were lost with their session from the arrivals to ``lost``. They stay in flight.
    private func setLostAside() {
        guard let client = route.repeater else { return }
        arrivals.removeAll { arrival in
            let slot = Int(arrival.slot)
            guard case .failure(.failed(let error)) = arrival.outcome, slots[slot].isSubmitted,
                let session = earlierSessions[arrival.slot] ?? session, client.isOver(session)
            else { return false }
            lost.append(Lost(slot: slot, error: error, session: session))
            return true
        }
    }

    /// Takes the calls that were lost with their session. Pass each to ``sendAgain(_:method:options:encode:)``. A
    /// cancelled task gets none.
    @usableFromInline
    func takeLost() -> [Lost] {
        if lost.isEmpty || Task.isCancelled { return [] }
        defer { lost.removeAll() }
        return lost
    }

    /// Sends a lost call again in a task if it may be repeated. Otherwise its failure is its outcome.
    ///
    /// - Parameter encode: Returns the params. It is not called if the call may not be repeated.
    func sendAgain(
        _ call: Lost, method: String, options: CallOptions, encode: () throws(ClientError) -> RawJSON?
    ) {
        guard let client = route.repeater else { return }
        var repetition = client.repetition(timeout, options, begun: slots[call.slot].begun)
        guard repetition.mayRepeat(after: call.error) else {
            return fail(call.slot, repetition.error(call.error, method))
        }
        client.noteEnd(of: call.session)
        let params: RawJSON?
        do throws(ClientError) {
            params = try encode()
        } catch {
            return fail(call.slot, repetition.error(error, method))
        }
        endSubmission(call.slot)
        make(call.slot, method, params, options, repetition, over: client)
    }

    // MARK: Requests

    /// Prepares for sending requests. Returns `false` if there is no room, or if there are no more requests.
    @usableFromInline
    func beginSending() -> Bool {
        guard inFlight < limit, !hasSourceEnded else { return false }
        let current = route.session
        submits = current != nil
        room = submits ? limit : min(limit, route.roomWithoutSession)
        if let current, session !== current { change(to: current) }
        return true
    }

    /// Whether another request can be sent. A cancelled task has no room.
    @usableFromInline
    var hasRoom: Bool { inFlight < room && !Task.isCancelled }

    @usableFromInline
    var usesTasks: Bool { !submits }

    private func change(to session: DuplexSession) {
        if let earlier = self.session {
            for slot in slots.indices where slots[slot].isSubmitted {
                let slot = Int32(truncatingIfNeeded: slot)
                if earlierSessions[slot] == nil { earlierSessions[slot] = earlier }
            }
        }
        self.session = session
        tailMethod = nil
    }

    @usableFromInline
    func takeSlot() -> Int {
        inFlight += 1
        let slot = freeSlots.popLast().map { Int($0) } ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        slots[slot].index = nextIndex
        nextIndex += 1
        return slot
    }

    /// Composes a request for the session.
    ///
    /// - Parameter encode: Appends the params.
    @usableFromInline
    func send(
        _ slot: Int, method: String, extraMembers: ExtraMembers, hasParams: Bool,
        encode: (inout [UInt8]) throws -> Void
    ) {
        let start = tails.count
        do throws(ClientError) {
            if !hasParams {
                appendTailWithoutParams(method, extraMembers)
            } else if extraMembers.isEmpty {
                try appendTail(method, encode)
            } else if let driver = session?.driver {
                let extra = driver.extraMembers(options.adding(to: extraMembers, isIdempotent: false))
                try driver.writer.appendRequestTail(method: method, extra: extra, to: &tails, encode: encode)
            }
        } catch {
            tails.removeSubrange(start...)
            return fail(slot, error)
        }
        calls.append(FanOutCall(slot: Int32(truncatingIfNeeded: slot), tail: start..<tails.count))
        if calls.count >= 64 { submit() }
    }

    /// Appends the tail of a request without extra members of its own.
    private func appendTail(_ method: String, _ encode: (inout [UInt8]) throws -> Void) throws(ClientError) {
        if method != tailMethod { composeTail(method) }
        let start = tails.count
        tails.append(contentsOf: tailStart)
        if try ParamsText.append(to: &tails, method: method, encode: encode) != nil {
            tails.append(contentsOf: tailEnd)
        } else {
            tails.removeSubrange(start...)
            appendTailWithoutParams(method, ExtraMembers())
        }
    }

    /// Composes the bytes around the params of a method.
    private func composeTail(_ method: String) {
        guard let driver = session?.driver else { return }
        tailMethod = method
        tailStart.removeAll(keepingCapacity: true)
        driver.writer.beginTail(method: method, to: &tailStart)
        tailEnd.removeAll(keepingCapacity: true)
        driver.writer.endTail(extra: driver.extraMembers(options), to: &tailEnd)
    }

    private func appendTailWithoutParams(_ method: String, _ extraMembers: ExtraMembers) {
        guard let driver = session?.driver else { return }
        let extra = driver.extraMembers(options.adding(to: extraMembers, isIdempotent: false))
        driver.writer.appendRequestTail(method: method, params: nil, extra: extra, to: &tails)
    }

    /// Ends a call with a failure that is known in this task. It occupies its slot until the consumer takes the
    /// failure, so that a sequence of requests that cannot be encoded is not read to its end.
    func fail(_ slot: Int, _ error: ClientError) {
        endSubmission(slot)
        inbox.settle(Int32(truncatingIfNeeded: slot), .failure(.failed(error)))
    }

    /// Submits the requests that have been composed. In a cancelled task, they are dropped: the next ``step()`` throws.
    @usableFromInline
    func submit() {
        guard !calls.isEmpty, let session else { return }
        if Task.isCancelled {
            calls.removeAll()
            tails.removeAll()
            return
        }
        let limit = timeout.duration(configured: session.configuration.calls.timeout)
        let begun = route.repeater?.clock.now ?? .zero
        session.driver.submit(&calls, tails: tails, timeout: limit, to: inbox)
        for call in calls {
            let slot = Int(call.slot)
            slots[slot].isSubmitted = true
            slots[slot].key = call.key
            slots[slot].begun = begun
        }
        calls.removeAll(keepingCapacity: true)
        tails.removeAll(keepingCapacity: tails.capacity <= 1 << 20)
    }

    @usableFromInline
    func endSource(_ error: (any Error)?) {
        hasSourceEnded = true
        sourceError = error
    }

    func make(
        _ slot: Int, _ method: String, _ params: RawJSON?, _ options: CallOptions, over caller: any JSONRPCCaller
    ) {
        if let client = route.repeater {
            return make(slot, method, params, options, client.repetition(timeout, options), over: client)
        }
        make(slot, method) { [timeout] in
            try await caller.callRaw(method, params: params, timeout: timeout, options: options)
        }
    }

    /// Makes a call in a task, which waits for a session. Then the consumer is woken, because more calls have room.
    private func make(
        _ slot: Int, _ method: String, _ params: RawJSON?, _ options: CallOptions, _ repetition: CallRepetition,
        over client: ClientSupervisor
    ) {
        make(slot, method) { [timeout, inbox] in
            try await client.call(method, timeout: timeout, repetition) { session, rest in
                inbox.signal()
                return try await session.callRaw(method, params: params, timeout: rest, options: options)
            }
        }
    }

    private func make(_ slot: Int, _ method: String, _ call: @escaping @Sendable () async throws -> RawJSON) {
        let slot = Int32(truncatingIfNeeded: slot)
        tasks[slot] = Task { [inbox] in
            do {
                inbox.settle(slot, .success(try await call()))
            } catch {
                inbox.settle(slot, .failure(CallError(error, method: method)))
            }
        }
    }

    // MARK: Notifications

    /// Returns `false` after the last notification.
    ///
    /// - Throws: A `CancellationError` if the task is cancelled.
    func acceptsNotifications() throws -> Bool {
        if !isOver, Task.isCancelled { throw end(CancellationError()) }
        return !isOver
    }

    func takeNotificationIndex() -> Int {
        defer { nextIndex += 1 }
        return nextIndex
    }

    func waitForRequest() async { await inbox.takeUnlessCancelled(&arrivals) }

    func endNotifications(_ error: (any Error)?) throws {
        isOver = true
        if let error { throw end(error) }
    }
}

struct FanOutCall: Sendable {
    var slot: Int32
    var tail: Range<Int>
    /// The entry of the call, if it was submitted.
    var key: CallKey?
}
