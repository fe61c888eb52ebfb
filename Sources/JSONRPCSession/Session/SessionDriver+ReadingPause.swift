// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// A time in which the connection is not read, because the peer does not take the answers to its calls.
struct ReadingPause: Sendable {
    /// When it began, or was last found justified. Nil until the lock under which it began is released: the clock may be
    /// the program's, and is not read under a lock.
    var since: SessionTime?
    /// How much had left the outbox by then.
    var sent: UInt64
    /// How many bytes of answers lay there at the last look. Nil at the beginning: calls that are being served then add
    /// theirs.
    var answerBytes: Int?
}

extension SessionDriver {
    /// Puts an answer, which lies in one piece, into the outbox. Called under the lock.
    ///
    /// Answers pile up when the peer does not take them: then nothing more is read until it does. While calls of ours
    /// are in flight that comes later: their responses could not be read either, and two peers who call each other
    /// would wait for each other.
    func putAnswer(_ bytes: UnsafeRawBufferPointer, _ state: inout State, _ effects: inout Effects) {
        guard let transport = state.transport else { return }
        answerWasPut(enqueue(whole: bytes, to: transport), bytes.count, transport, &state, &effects)
    }

    /// The same for an answer of any length: it is not copied if it is long.
    func putAnswer(_ bytes: ArraySlice<UInt8>, _ state: inout State, _ effects: inout Effects) {
        guard bytes.count > Self.sharingThreshold else {
            return bytes.withUnsafeBytes { putAnswer($0, &state, &effects) }
        }
        guard let transport = state.transport else { return }
        answerWasPut(enqueue(sharing: [bytes], to: transport), bytes.count, transport, &state, &effects)
    }

    @inline(__always)
    private func answerWasPut(
        _ outcome: EnqueueOutcome, _ count: Int, _ transport: any MessageTransport, _ state: inout State,
        _ effects: inout Effects
    ) {
        guard case .queued(let ticket, let mustWake) = outcome else { return }
        if mustWake { effects.wakes = transport }
        state.outbox.noteAnswer(ticket, bytes: count)
        guard state.readingPause == nil else { return }
        let limit = state.machine.inFlight == 0 ? state.outbox.limit : Self.duplexFactor * state.outbox.limit
        guard state.outbox.holdsAnswers(limit, transport) else { return }
        state.readingPause = ReadingPause(sent: state.outbox.sent)
        isReadingPaused.store(true, ordering: .relaxed)
        effects.pausesReading = true
    }

    private static var duplexFactor: Int { 16 }

    /// Holds the reading, after the lock under which a pause began was released.
    func pauseReading() {
        let now = clock.now
        state.withLock { state in
            if state.readingPause?.since == nil { state.readingPause?.since = now }
        }
        parts.notifications.gate.hold(self)
    }

    /// The outbox has drained.
    func resumeReading() {
        let resumes = state.withLock { state in
            isReadingPaused.store(false, ordering: .relaxed)
            return state.readingPause.take() != nil
        }
        if resumes { parts.notifications.gate.release(self) }
    }

    /// How long a peer may take for ``leastProgress``.
    private static var patience: Duration { .seconds(10) }
    private static var leastProgress: Int { SessionConfiguration.minimumQueuedBytes }

    /// The connection is read although it should not be: the transport does not wait without end, since a connection
    /// that is not read cannot be seen to die. Whoever takes answers, if slowly, is waited for again. From one who does
    /// not, the connection parts: what it goes on asking for would fill the memory.
    func readingGoesOn() {
        let now = clock.now
        let isJustified = state.withLock { state -> Bool? in
            guard var pause = state.readingPause, let transport = state.transport else { return nil }
            guard let since = pause.since, now >= since.advanced(by: Self.patience) else { return true }
            state.outbox.look(transport)
            let answerBytes = state.outbox.answerBytes
            guard state.outbox.sent &- pause.sent >= UInt64(Self.leastProgress),
                pause.answerBytes.map({ answerBytes <= $0 }) ?? true
            else { return false }
            pause = ReadingPause(since: now, sent: state.outbox.sent, answerBytes: answerBytes)
            state.readingPause = pause
            return true
        }
        switch isJustified {
        case nil: break
        case true?: parts.notifications.gate.renew()
        case false?:
            let failure = CallFailure(
                code: .protocolViolation, message: "The peer makes calls and does not read the answers.",
                delivery: .outcomeUnknown)
            shut(Farewell(code: 1008, reason: "Answers are not read.", deadline: .zero), violation: failure)
        }
    }
}
