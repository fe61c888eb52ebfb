// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Logging
import Synchronization
import TaskWaits

extension SessionDriver {
    // MARK: The end

    func transportClosed(_ closure: TransportClosure) {
        readEnded()
        timer.stop()
        let now = clock.now
        var ended = DuplexSession.Closure(
            initiator: closure.initiator, code: closure.code, reason: closure.reason, error: closure.error)
        let (lost, violation, served) = state.withLock { state in
            ended.lastState = livenessTimes.lastState(
                now, callsInFlight: state.machine.inFlight, queued: state.outbox.gauge.bytes(from: closure.unsentFrom))
            state.outbox.transport = nil
            return (
                state.machine.transportClosed(ended, unsentFrom: closure.unsentFrom), state.machine.violation,
                state.machine.served.tasks
            )
        }
        for task in served { task.cancel() }
        resumeServing()
        for (waiter, sent, delivery) in lost {
            waiter.settle(.failure(.failed(failure(ended, violation, delivery, sent?.id))))
        }
        endpoint.events.publish(.stateChanged(.closed))
        endpoint.events.publish(.closed(ended))
        endpoint.sessionEnded(loss)
        end.fulfil()
    }

    /// Returns the failure of a call whose connection has ended.
    func failure(
        _ closure: DuplexSession.Closure, _ violation: ClientError?, _ delivery: ClientError.Delivery, _ id: RequestID?
    ) -> ClientError {
        var (code, message, cause) = (ClientError.Code.connectionLost, "The connection was lost.", closure.error)
        switch closure.initiator {
        case .local:
            if let violation {
                let reason = closing(because: violation, delivery)
                (message, cause) = (reason.message, reason.cause)
            } else {
                (code, message) = (.closed, "This side closed the connection.")
            }
        case .remote:
            let reason = closure.reason.isEmpty ? "." : ": \"\(closure.reason.escapingControls)\"."
            message = "The peer closed the connection" + reason
        case .failure:
            if let error = closure.error as? ClientError {
                (code, message, cause) = (error.code, error.message, error.cause)
            } else if [1009, 1013].contains(closure.code), !closure.reason.isEmpty {
                // The network did not fail: the peer exceeded a limit of this side, and the reason names the limit.
                message = "The connection was closed. \(closure.reason.escapingControls)"
            }
        }
        var error = ClientError(
            code, message, cause: cause, requestID: id, delivery: delivery, closeCode: closure.code)
        error.lastState = closure.lastState
        return error
    }

    /// Returns the failure of a call whose connection this side closes because of a violation.
    func closing(because violation: ClientError, _ delivery: ClientError.Delivery) -> ClientError {
        var cause = violation
        // The cause does not concern a call.
        cause.delivery = nil
        return ClientError(
            .connectionLost, "This side closed the connection, because the peer violated the protocol.", cause: cause,
            delivery: delivery)
    }

    /// Returns the error of a request whose response arrived but cannot be used, because the connection has ended.
    func endedAfterResponse(_ method: String) -> ClientError {
        let (closure, violation, isClosedByProgram) = state.withLock {
            ($0.machine.closure, $0.machine.violation, $0.machine.isClosedByProgram)
        }
        var error = ClientError(.connectionLost, "The connection was lost.", delivery: .outcomeUnknown)
        if isClosedByProgram {
            error = ClientError(.closed, "This side closed the connection.", delivery: .outcomeUnknown)
        } else if let closure {
            error = failure(closure, violation, .outcomeUnknown, nil)
        }
        error.method = method
        return error
    }

    // MARK: Closing

    /// The maximum time to wait for the peer's CLOSE frame in a cancelled task, and before another connection.
    private static var shortCloseTimeout: Duration { .milliseconds(500) }

    /// Waits for calls in flight, and closes the session. If the task is cancelled, it does not wait for calls, and
    /// only briefly for the peer.
    func close(_ request: CloseRequest, drain: Duration) async {
        requestClose(request, drainUntil: drain > .zero ? clock.now.advanced(by: drain) : nil)
        // This wait fails only if the task is cancelled.
        guard (try? await end.wait()) == nil else { return }
        requestClose(short(request), drainUntil: nil, hastens: true)
        await untilClosed()
    }

    func beginClosing() {
        let drain = configuration.drainTimeout
        requestClose(standardClose, drainUntil: drain > .zero ? clock.now.advanced(by: drain) : nil)
    }

    func closeNow(code: UInt16, reason: String) {
        requestClose(CloseRequest(code: code, reason: reason, deadline: .zero), drainUntil: nil, hastens: true)
    }

    /// Closes the session without waiting for calls, and only briefly for the peer. Returns when it is closed.
    func discard() async { await close(short(standardClose), drain: .zero) }

    /// Closes the session without waiting for calls. The transport performs the closing handshake on its own.
    func abandon() { requestClose(standardClose, drainUntil: nil) }

    /// Closes the session at once, because the peer violated the protocol.
    func shut(_ request: CloseRequest, violation: ClientError) {
        perform { machine, _ in machine.violated(violation, request) }
    }

    /// Ends a session whose connection could not be established. The parts that the client's sessions share continue.
    func dismiss(_ error: ClientError) {
        if state.withLock({ $0.machine.connectionFailed(error) }) { end.fulfil() }
    }

    private var standardClose: CloseRequest {
        CloseRequest(code: 1000, reason: "", deadline: configuration.closeTimeout)
    }

    private func short(_ request: CloseRequest) -> CloseRequest {
        var request = request
        request.deadline = min(request.deadline, Self.shortCloseTimeout)
        return request
    }

    private func requestClose(_ request: CloseRequest, drainUntil: SessionTime?, hastens: Bool = false) {
        perform { machine, _ in
            machine.closeRequested(request, drainUntil: drainUntil, hastens: hastens)
        }
    }

    /// Waits until the session is closed and every call has ended, even in a cancelled task.
    func untilClosed() async { await Task { await untilClosedOrCancelled() }.value }

    /// Waits until the session is closed and every call has ended, or the task is cancelled.
    func untilClosedOrCancelled() async { try? await end.wait() }

    var isClosedByProgram: Bool { state.withLock { $0.machine.isClosedByProgram } }

    /// The reason for the loss of the connection; `nil` if this side closed it on purpose.
    var loss: ClientError? {
        state.withLock { state in
            guard let closure = state.machine.closure, closure.initiator != .local || state.machine.violation != nil
            else {
                return nil
            }
            // The error of a failed attempt to connect is complete.
            if closure.initiator == .failure, var error = closure.error as? ClientError {
                error.lastState = error.lastState ?? closure.lastState
                return error
            }
            var error = failure(closure, state.machine.violation, .outcomeUnknown, nil)
            error.delivery = nil
            return error
        }
    }
}

// MARK: - Irregular messages

extension SessionDriver {
    func report(
        _ irregularities: IrregularitySet, _ message: ArrivedMessage, id: RequestID? = nil,
        error: ErrorObject? = nil, syntaxError: JSONSyntaxError? = nil
    ) {
        let hasReaders = endpoint.events.hasReaders
        let entry = record.withLock {
            $0.irregularities.note(irregularities, configuration.strictness, hasReaders: hasReaders)
        }
        if entry.isLogged {
            configuration.diagnostics.logger.debug(
                "irregular message", metadata: ["jsonrpc.irregularities": "\(irregularities)"])
        }
        // The message is copied only if there is a reader.
        guard entry.isPublished else { return }
        endpoint.events.publish(
            .irregularMessage(
                SessionEvent.IrregularMessage(
                    irregularities: irregularities, bytes: message.kept(), isBinary: message.isBinary, requestID: id,
                    syntaxError: syntaxError, error: error)))
    }

    /// Closes the connection because of a message from the peer, and sends the reason.
    func violate(_ irregularity: Irregularity?, closeCode: UInt16 = 1002) {
        let text = irregularity.map { "The peer sent \($0)." } ?? "The peer violated the protocol."
        let failure = ClientError(
            .protocolViolation, text, delivery: .outcomeUnknown, irregularity: irregularity)
        let reason = irregularity.map { "Received \($0)." } ?? ""
        shut(CloseRequest(code: closeCode, reason: reason, deadline: configuration.closeTimeout), violation: failure)
    }
}

/// The times at which the connection was opened and the peer last sent something.
struct LivenessTimes: Sendable {
    var opened: SessionTime?
    /// The time of the last message, or of the last answer to a probe.
    var latest: SessionTime?

    /// Returns the state of the connection at its end; `nil` if it was never open.
    func lastState(_ end: SessionTime, callsInFlight: Int, queued: Int) -> ClientError.LastState? {
        opened.map {
            ClientError.LastState(
                openFor: end.duration(since: $0), silentFor: latest.map { end.duration(since: $0) },
                callsInFlight: callsInFlight, queuedByteCount: queued)
        }
    }
}
