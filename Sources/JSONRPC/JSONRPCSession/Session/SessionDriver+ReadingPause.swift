// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCCore
import Synchronization

/// A period in which the connection is not read, because the peer does not read the answers to its calls.
struct ReadingPause: Sendable {
    /// The time of its beginning, or of the last progress of the peer. `nil` until the lock under which the pause began
    /// is released, because the clock may be the program's and is not read under a lock.
    var since: SessionTime?
    /// The number of bytes that had left the outbox by then.
    var sent: UInt64
    /// The bytes of answers in the outbox at the last check. `nil` at the beginning, because calls in progress still
    /// add answers.
    var answerBytes: Int?
}

extension SessionDriver {
    /// Puts an answer in one piece into the outbox. It is called under the lock.
    ///
    /// If the peer does not read its answers, the session stops reading until the peer does. While this side has calls
    /// in flight, the limit is higher: their responses would not be read either, and two peers that call each other
    /// would wait for each other.
    func putAnswer(_ bytes: UnsafeRawBufferPointer, _ state: inout State, _ effects: inout Effects) {
        if state.outbox.append(answer: bytes) { answerWasPut(&state, &effects) }
    }

    /// The same for an answer of any length: it is not copied if it is long.
    func putAnswer(_ bytes: ArraySlice<UInt8>, _ state: inout State, _ effects: inout Effects) {
        if state.outbox.append(answer: bytes) { answerWasPut(&state, &effects) }
    }

    private func answerWasPut(_ state: inout State, _ effects: inout Effects) {
        effects.wakes = state.outbox.takeWake() ?? effects.wakes
        guard state.readingPause == nil, let transport = state.outbox.transport else { return }
        let limit = state.outbox.gauge.limit * (state.machine.inFlight == 0 ? 1 : Self.duplexFactor)
        guard state.outbox.gauge.holdsAnswers(limit, transport) else { return }
        state.readingPause = ReadingPause(sent: state.outbox.gauge.sent)
        isReadingPaused.store(true, ordering: .relaxed)
        effects.pausesReading = true
    }

    private static var duplexFactor: Int { 16 }

    /// Stops reading, after the lock under which a pause began was released.
    func pauseReading() {
        let now = clock.now
        state.withLock { state in
            if state.readingPause?.since == nil { state.readingPause?.since = now }
        }
        endpoint.notifications.gate.hold(self)
    }

    /// Resumes reading after the outbox has drained.
    func resumeReading() {
        let resumes = state.withLock { state in
            isReadingPaused.store(false, ordering: .relaxed)
            return state.readingPause.take() != nil
        }
        guard resumes else { return }
        endpoint.notifications.gate.release(self)
        resumeServing()
    }

    /// Waits while the peer does not read its answers. Calls that were read together may be many, and each answer can be
    /// long, so their handlers do not begin before there is room for the answers.
    func untilAnswersAreRead() async {
        var hasWaited = false
        while isReadingPaused.load(ordering: .relaxed) {
            let isOver = await withUnsafeContinuation { (waiter: UnsafeContinuation<Bool, Never>) in
                let isOver = state.withLock { state in
                    guard state.readingPause != nil, state.outbox.transport != nil else { return true }
                    // A handler that was woken too early keeps its place.
                    if hasWaited { state.servingWaiters.prepend(waiter) } else { state.servingWaiters.append(waiter) }
                    return false
                }
                if isOver { waiter.resume(returning: true) }
            }
            if isOver { break }
            hasWaited = true
        }
        if hasWaited { resumeServing() }
    }

    /// Lets the first handler that waits begin. It wakes the next one, so the others do not all wake to wait again.
    func resumeServing() {
        let waiter = state.withLock { $0.servingWaiters.popFirst() }
        waiter?.resume(returning: false)
    }

    /// The time that a peer may take for ``leastProgress``.
    private static var patience: Duration { .seconds(10) }
    private static var leastProgress: Int { SessionConfiguration.minimumQueuedBytes }

    /// Decides about a transport that resumes reading by itself, which it does to detect a dead connection. If the peer
    /// has made progress, reading stops again. A peer that makes no progress is disconnected, because its further calls
    /// would fill the memory.
    func readingGoesOn() {
        let now = clock.now
        let isJustified = state.withLock { state -> Bool? in
            guard var pause = state.readingPause, let transport = state.outbox.transport else { return nil }
            guard let since = pause.since, now >= since.advanced(by: Self.patience) else { return true }
            state.outbox.gauge.look(transport)
            let answerBytes = state.outbox.gauge.answerBytes
            guard state.outbox.gauge.sent &- pause.sent >= UInt64(Self.leastProgress),
                pause.answerBytes.map({ answerBytes <= $0 }) ?? true
            else { return false }
            pause = ReadingPause(since: now, sent: state.outbox.gauge.sent, answerBytes: answerBytes)
            state.readingPause = pause
            return true
        }
        switch isJustified {
        case nil: break
        case true?: endpoint.notifications.gate.renew()
        case false?:
            let failure = CallFailure(
                code: .protocolViolation,
                message: "The peer makes calls and does not read the answers. A peer must read while it sends.",
                delivery: .outcomeUnknown)
            shut(CloseRequest(code: 1008, reason: "Answers are not read.", deadline: .zero), violation: failure)
        }
    }
}
