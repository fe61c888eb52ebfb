// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

extension SessionDriver: MessageReceiver {
    func transportOpened(_ transport: any MessageTransport) {
        signsOfLife.opened = clock.now
        let isWanted = state.withLock { state in
            guard state.machine.connectionOpened() else { return false }
            state.outbox.transport = transport
            return true
        }
        if isWanted {
            parts.sessionOpened(transport, self)
            parts.events.publish(.stateChanged(.open))
        } else {
            transport.close(code: 1001, reason: "", deadline: configuration.closeTimeout)
        }
    }

    func readBegan() {
        arrived.isGathering = true
        signsOfLife.latest = clock.now
        if isReadingPaused.load(ordering: .relaxed) { readingGoesOn() }
    }

    func readEnded() {
        arrived.isGathering = false
        settleArrived()
    }

    func messageReceived(_ message: InboundMessage) {
        // Messages that were read together have one time.
        if !arrived.isGathering { signsOfLife.latest = clock.now }
        receive(message)
    }

    func outboxDrained() {
        roomAppeared()
        resumeReading()
    }

    func roundTripMeasured(_ duration: Duration) {
        probes.answered()
        signsOfLife.latest = clock.now
        roundTrips.withLock { $0.add(duration) }
        parts.roundTripMeasured(duration)
    }

    func transportClosed(_ closure: TransportClosure) {
        readEnded()
        timer.stop()
        let now = clock.now
        var ended = SessionClosure(
            initiator: closure.initiator, code: closure.code, reason: closure.reason, error: closure.error)
        let (abandoned, violation, served) = state.withLock { state in
            ended.lastState = signsOfLife.lastState(
                now, callsInFlight: state.machine.inFlight, queued: state.outbox.gauge.bytes(from: closure.unsentFrom))
            let abandoned = state.machine.transportClosed()
            state.outbox.transport = nil
            state.closure = ended
            state.lateAnswers = [:]
            return (abandoned, state.violation, state.inbound.tasks)
        }
        for task in served { task.cancel() }
        resumeServing()
        for call in abandoned {
            let isUnsent = call.sent.map { $0.ticket >= closure.unsentFrom } ?? true
            call.waiter.settle(
                .failure(failure(ended, violation, isUnsent ? .notSent : .outcomeUnknown, call.sent?.id)))
        }
        parts.events.publish(.stateChanged(.closed))
        parts.events.publish(.closed(ended))
        parts.sessionEnded(loss)
        tellThatItIsOver()
    }

    /// Returns the failure of a call whose connection has ended.
    func failure(
        _ closure: SessionClosure, _ violation: CallFailure?, _ delivery: Delivery, _ id: RequestID?
    ) -> CallFailure {
        var failure = CallFailure(
            code: .connectionLost, message: "The connection was lost.", delivery: delivery, cause: closure.error,
            requestID: id, closeCode: closure.code, lastState: closure.lastState)
        switch closure.initiator {
        case .local:
            if let violation {
                let reason = closing(because: violation, delivery)
                (failure.message, failure.cause) = (reason.message, reason.cause)
            } else {
                failure.code = .closed
                failure.message = "This side closed the connection."
            }
        case .remote:
            let reason = closure.reason.isEmpty ? "." : ": \"\(closure.reason.escapingControls)\"."
            failure.message = "The peer closed the connection" + reason
        case .failure:
            guard let error = closure.error as? ClientError else { break }
            failure.code = error.code
            failure.message = error.message
            failure.cause = error.cause
        }
        return failure
    }

    /// Returns the failure of a call whose connection this side closes because of a violation.
    func closing(because violation: CallFailure, _ delivery: Delivery) -> CallFailure {
        var cause = violation.error(method: nil)
        // The cause does not concern a call.
        cause.delivery = nil
        return CallFailure(
            code: .connectionLost,
            message: "This side closed the connection, because the peer violated the protocol.", delivery: delivery,
            cause: cause)
    }

    /// Returns the error of a request whose response came, but is of no use, because the connection has ended.
    func endedAfterResponse(_ method: String) -> ClientError {
        let (closure, violation, isClosedByProgram) = state.withLock {
            ($0.closure, $0.violation, $0.isClosedByProgram)
        }
        let failure: CallFailure
        if isClosedByProgram {
            failure = CallFailure(
                code: .closed, message: "This side closed the connection.", delivery: .outcomeUnknown)
        } else if let closure {
            failure = self.failure(closure, violation, .outcomeUnknown, nil)
        } else {
            failure = CallFailure(
                code: .connectionLost, message: "The connection was lost.", delivery: .outcomeUnknown)
        }
        return failure.error(method: method)
    }

    // MARK: Closing

    /// The maximum time to wait for the peer's CLOSE frame in a cancelled task, and before another connection.
    private static var shortCloseTimeout: Duration { .milliseconds(500) }

    /// Waits for calls in flight, and closes the session. If the task is cancelled, it does not wait for calls, and
    /// only briefly for the peer.
    func close(_ farewell: Farewell, drain: Duration) async {
        let drainUntil: SessionTime? = drain > .zero ? clock.now.advanced(by: drain) : nil
        requestClose(farewell, drainUntil: drainUntil)
        await withTaskCancellationHandler {
            await untilClosed()
        } onCancel: {
            var farewell = farewell
            farewell.deadline = min(farewell.deadline, Self.shortCloseTimeout)
            requestClose(farewell, drainUntil: nil, hastens: true)
        }
    }

    /// Begins a graceful close, and returns at once.
    func beginClosing() {
        let drain = configuration.drainTimeout
        requestClose(standardFarewell, drainUntil: drain > .zero ? clock.now.advanced(by: drain) : nil)
    }

    /// Closes the session immediately: it waits neither for calls nor for the peer.
    func closeNow(code: UInt16, reason: String) {
        requestClose(Farewell(code: code, reason: reason, deadline: .zero), drainUntil: nil, hastens: true)
    }

    private var standardFarewell: Farewell {
        Farewell(code: 1000, reason: "", deadline: configuration.closeTimeout)
    }

    /// - Parameter hastens: Whether a closing handshake in progress gets the farewell's deadline, if that is earlier.
    private func requestClose(_ farewell: Farewell, drainUntil: SessionTime?, hastens: Bool = false) {
        let effects = state.withLock { state in
            var effects = Effects()
            if state.farewell == nil { state.farewell = farewell }
            if hastens { hasten(farewell.deadline, &state, &effects) }
            switch state.machine.closeRequested(drainUntil: drainUntil) {
            case .closeTransport: closeTransport(&state, &effects)
            case .wait(let timer):
                effects.timer = timer
                effects.newPhase = .draining
            case .finish:
                effects.newPhase = .closed
                state.closure = SessionClosure(initiator: .local, code: farewell.code, reason: farewell.reason)
            case .doNothing: break
            }
            return effects
        }
        run(effects)
        guard effects.newPhase == .closed else { return }
        parts.sessionEnded(nil)
        tellThatItIsOver()
    }

    /// Shortens the time for the closing handshake. It is called under the lock.
    private func hasten(_ deadline: Duration, _ state: inout State, _ effects: inout Effects) {
        guard var farewell = state.farewell else { return }
        farewell.deadline = min(farewell.deadline, deadline)
        state.farewell = farewell
        if state.machine.phase == .closing, let transport = state.outbox.transport {
            effects.closes = (transport, farewell)
        }
    }

    /// Ends a session whose connection could not be established. The parts that it shares with the client's other
    /// sessions continue.
    func dismiss(_ error: ClientError) {
        let isDismissed = state.withLock { state in
            guard state.machine.phase == .connecting, case .finish = state.machine.closeRequested(drainUntil: nil)
            else { return false }
            state.closure = SessionClosure(initiator: .failure, code: 1006, reason: "", error: error)
            return true
        }
        if isDismissed { tellThatItIsOver() }
    }

    /// Resumes the tasks that wait for the end. It is called when all calls have ended, and the parts know of the end.
    private func tellThatItIsOver() {
        let waiters = state.withLock { state in
            state.isOver = true
            defer { state.closeWaiters = [:] }
            return state.closeWaiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Closes the session at once, because the peer violated the protocol.
    func shut(_ farewell: Farewell, violation: CallFailure) {
        state.withLock { state in
            if state.violation == nil, state.farewell == nil {
                state.violation = violation
                state.farewell = farewell
            }
        }
        requestClose(farewell, drainUntil: nil)
    }

    /// Prepares the closing of the transport. It is called under the lock.
    func closeTransport(_ state: inout State, _ effects: inout Effects) {
        effects.newPhase = .closing
        guard let transport = state.outbox.transport else { return }
        effects.closes = (transport, state.farewell ?? standardFarewell)
    }

    /// Waits until the session is closed, and every call has ended, also in a cancelled task.
    func untilClosed() async {
        let id = makeCloseWaiter()
        await withCheckedContinuation { wait(id, $0) }
    }

    /// Waits until the session is closed, and every call has ended, or the task is cancelled.
    func untilClosedOrCancelled() async {
        let id = makeCloseWaiter()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(id, continuation)
                // A cancellation before this point found no continuation to resume.
                if Task.isCancelled { giveUpWaiting(id) }
            }
        } onCancel: {
            giveUpWaiting(id)
        }
    }

    private func makeCloseWaiter() -> UInt64 {
        state.withLock { state in
            state.nextCloseWaiter += 1
            return state.nextCloseWaiter
        }
    }

    private func wait(_ id: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        let isClosed = state.withLock { state in
            if !state.isOver { state.closeWaiters[id] = continuation }
            return state.isOver
        }
        if isClosed { continuation.resume() }
    }

    private func giveUpWaiting(_ id: UInt64) {
        state.withLock { $0.closeWaiters.removeValue(forKey: id) }?.resume()
    }

    /// The reason for the loss of the connection; `nil` if this side closed it on purpose.
    var loss: ClientError? {
        state.withLock { state in
            guard let closure = state.closure, closure.initiator != .local || state.violation != nil else {
                return nil
            }
            // The error of a failed attempt to connect is complete.
            if closure.initiator == .failure, var error = closure.error as? ClientError {
                error.lastState = error.lastState ?? closure.lastState
                return error
            }
            var error = failure(closure, state.violation, .outcomeUnknown, nil).error(method: nil)
            error.delivery = nil
            return error
        }
    }

    /// Closes the session without waiting for calls, and only briefly for the peer. Returns when it is closed.
    func discard() async {
        var farewell = standardFarewell
        farewell.deadline = min(farewell.deadline, Self.shortCloseTimeout)
        await close(farewell, drain: .zero)
    }

    /// Closes the session without waiting for calls. The transport performs the closing handshake on its own.
    func abandon() { requestClose(standardFarewell, drainUntil: nil) }
}
