// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

struct ServingLimits: Sendable {
    var calls: Int
    /// The bytes of the calls' messages. The last call may exceed them.
    var bytes: Int
}

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

extension SessionStateMachine {
    // MARK: A call of the peer

    struct ServeAction: Sendable {
        /// `nil` if the call is refused, because too many are in progress.
        var key: CallKey?
        /// Whether a call with its id is in progress.
        var isDuplicate = false
        var startsServing = false
    }

    /// Handles a request. It is refused at a limit.
    ///
    /// - Parameters:
    ///   - looksForDuplicate: Whether to set ``ServeAction/isDuplicate``.
    ///   - queued: Returns the call for the serving task, if its handler is synchronous.
    mutating func requestReceived(
        _ id: RequestID?, bytes: Int, within limits: ServingLimits, looksForDuplicate: Bool = false,
        queued: (CallKey) -> QueuedServing? = { _ in nil }
    ) -> ServeAction {
        var action = ServeAction()
        if looksForDuplicate, let id { action.isDuplicate = served.contains(id) }
        guard served.count < limits.calls, served.bytes < limits.bytes else { return action }
        let key = served.insert(id, bytes: bytes)
        action.key = key
        if let call = queued(key) { action.startsServing = served.append(call) }
        return action
    }

    // MARK: Answers

    /// Sends an answer, which may be that of a whole array, and ends the call that it answers.
    mutating func answer(
        _ bytes: [UInt8]?, ends key: CallKey?, _ outbox: inout some MessageOutbox
    ) -> Actions {
        var actions = Actions()
        if let bytes { send(answer: bytes[...], &actions, &outbox) }
        if let key { answered([key], &actions, &outbox) }
        return actions
    }

    mutating func send(
        answer bytes: UnsafeRawBufferPointer, _ actions: inout Actions, _ outbox: inout some MessageOutbox
    ) {
        if outbox.append(answer: bytes) { considerPause(&actions, &outbox) }
    }

    mutating func send(
        answer bytes: ArraySlice<UInt8>, _ actions: inout Actions, _ outbox: inout some MessageOutbox
    ) {
        if outbox.append(answer: bytes) { considerPause(&actions, &outbox) }
    }

    mutating func answered(
        _ keys: some Sequence<CallKey>, _ actions: inout Actions, _ outbox: inout some MessageOutbox
    ) {
        for key in keys { served.remove(key) }
        if mayGoOn { goOn(&actions, &outbox) }
    }

    // MARK: The pause of reading

    /// Stops the reading if the peer does not read its answers. While this side has calls in flight, the limit is
    /// higher, because their responses would not be read either. Otherwise two peers that call each other could wait
    /// for each other.
    private mutating func considerPause(_ actions: inout Actions, _ outbox: inout some MessageOutbox) {
        guard readingPause == nil, outbox.holdsAnswers(timesLimit: inFlight == 0 ? 1 : Self.duplexFactor),
            let progress = outbox.answerProgress()
        else { return }
        readingPause = ReadingPause(sent: progress.sent)
        actions.pausesReading = true
    }

    private static var duplexFactor: Int { 16 }

    mutating func pauseBegan(now: SessionTime) {
        if readingPause?.since == nil { readingPause?.since = now }
    }

    /// Ends the pause. Returns `false` if there is none.
    mutating func readingResumed() -> Bool { readingPause.take() != nil }

    /// The time that a peer may take for ``leastProgress``.
    private static var patience: Duration { .seconds(10) }
    private static var leastProgress: Int { SessionConfiguration.Calls.minimumQueuedBytes }

    enum ReadAction: Sendable {
        /// The reading stops again: the peer has made progress, or has time left.
        case pauseAgain
        /// The peer has made no progress. It is disconnected, because its further calls would fill the memory.
        case disconnect
        /// There is no pause.
        case doNothing
    }

    /// Handles a read during a pause. A transport may resume reading by itself, to detect a dead connection.
    mutating func readDuringPause(now: SessionTime, _ outbox: inout some MessageOutbox) -> ReadAction {
        guard let pause = readingPause, let progress = outbox.answerProgress() else { return .doNothing }
        guard let since = pause.since, now >= since.advanced(by: Self.patience) else { return .pauseAgain }
        guard progress.sent &- pause.sent >= UInt64(Self.leastProgress),
            pause.answerBytes.map({ progress.answerBytes <= $0 }) ?? true
        else { return .disconnect }
        readingPause = ReadingPause(since: now, sent: progress.sent, answerBytes: progress.answerBytes)
        return .pauseAgain
    }
}
