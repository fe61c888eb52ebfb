// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TaskWaits

@testable import JSONRPCSession

/// A client's machine with a driver that executes its actions, and with checks of invariants after each event.
struct ClientModel: Sendable {
    final class Session: Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    typealias Machine = ClientStateMachine<Session>

    enum Event: Hashable, Sendable {
        case connect, observe, call, leave(Int)
        case connected, attemptFails(isRetryable: Bool), attemptIsCancelled
        case connectionIsLost, peerCloses, sessionIsClosed, sessionRefuses
        case delayIsOver, delayIsCancelled
        case close, closeNow, finish
    }

    /// Corrupts the machine's actions, so that a test shows that each invariant can fail.
    enum PlantedFault: CaseIterable, Sendable {
        case forgetsACall, forgetsAnObserver, releasesTwice, admitsTooManyCalls, losesTheRetry
    }

    /// The place of the supervising task.
    enum Place: Hashable, Sendable { case none, connecting(Int), connected(Int), waiting }

    static let limit = 2
    let fault: PlantedFault?
    private(set) var machine: Machine
    private(set) var faults: [String] = []
    private var place = Place.none
    /// The session of the latest attempt, which the driver has even if the machine does not.
    private var session: Session?
    private var connects = 0
    private var observers = 0
    private var calls = 0
    /// The connections that have no outcome yet.
    private var connecting: Set<CancellableWait<Void>> = []
    private var observing: Set<CancellableWait<ClientError?>> = []
    private var waiting: [Int: CancellableWait<Session>] = [:]
    private var isOver = false

    init(_ mode: ReconnectPolicy, fault: PlantedFault? = nil) {
        var policy = mode
        policy.maximumAttempts = 3
        policy.disconnectedCalls = .wait(atMost: Self.limit)
        self.fault = fault
        machine = Machine(policy)
    }

    // MARK: Events

    /// The events that can happen now.
    var events: [Event] {
        var events: [Event] = []
        if connects < 2 { events.append(.connect) }
        if observers < 1 { events.append(.observe) }
        if calls < 3 { events.append(.call) }
        events += waiting.keys.sorted().map { .leave($0) }
        events += [.close, .closeNow]
        switch place {
        case .none: break
        case .connecting:
            events += [
                .connected, .attemptFails(isRetryable: true), .attemptFails(isRetryable: false), .attemptIsCancelled,
            ]
        case .connected:
            events += [.connectionIsLost, .peerCloses, .sessionIsClosed, .sessionRefuses]
        case .waiting: events += [.delayIsOver, .delayIsCancelled]
        }
        if machine.isClosed { events.append(.finish) }
        return events
    }

    /// A value that is equal for states with the same continuations.
    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(machine.phase)
        hasher.combine(machine.attempt)
        hasher.combine(machine.isClosed)
        hasher.combine(machine.absence == nil)
        hasher.combine(machine.session == nil)
        hasher.combine(place)
        hasher.combine([connects, observers, calls, connecting.count, observing.count])
        hasher.combine(waiting.keys.sorted())
        return hasher.finalize()
    }

    mutating func perform(_ event: Event) {
        switch event {
        case .connect: connect()
        case .observe: observe()
        case .call: call()
        case .leave(let number):
            if let wait = waiting.removeValue(forKey: number) { machine.callLeft(wait) }
        case .connected: sessionConnected()
        case .attemptFails(let isRetryable):
            let error = ClientError(.connectFailed, "", isRetryable: isRetryable)
            follow(machine.attemptFailed(error, retryAfter: nil, now: .zero, share: 0))
        case .attemptIsCancelled:
            follow(machine.attemptFailed(CancellationError(), retryAfter: nil, now: .zero, share: 0))
        case .connectionIsLost: end(ClientError(.connectionLost, ""), code: nil)
        case .peerCloses: end(ClientError(.connectionLost, ""), code: 1000)
        case .sessionIsClosed: end(nil, code: nil)
        case .sessionRefuses:
            if let session = machine.session { machine.sessionRefusedCalls(session, nil) }
        case .delayIsOver: attempt()
        case .delayIsCancelled:
            place = .none
            release(machine.retryCancelled())
        case .close: _ = machine.closeRequested()
        case .closeNow:
            _ = machine.closeRequested()
            release(machine.closedUnlessReady())
        case .finish: release(machine.finished(nil))
        }
        check()
    }

    private mutating func connect() {
        connects += 1
        let wait = CancellableWait<Void>()
        guard machine.connectRequested(wait, now: .zero) == nil else { return }
        if place != .none { faults.append("a second task begins") }
        connecting.insert(wait)
        attempt()
    }

    private mutating func attempt() {
        let session = Session((session?.number ?? 0) + 1)
        self.session = session
        place = .connecting(session.number)
        guard machine.attemptBegan(session) else {
            place = .none
            return release(machine.finished(nil))
        }
    }

    private mutating func sessionConnected() {
        guard let session else { return }
        guard let release = machine.connected(session, now: .zero) else {
            place = .none
            return self.release(machine.finished(nil))
        }
        if machine.session !== session { faults.append("the session is another attempt's") }
        place = .connected(session.number)
        self.release(release)
    }

    private mutating func end(_ loss: ClientError?, code: UInt16?) {
        follow(machine.connectionEnded(loss, code: code, now: .zero, share: 0))
    }

    private mutating func follow(_ next: Machine.Next) {
        switch next {
        case .retry: place = fault == .losesTheRetry ? .none : .waiting
        case .end(let release):
            place = .none
            self.release(release)
        }
    }

    private mutating func observe() {
        observers += 1
        let wait = CancellableWait<ClientError?>()
        guard case nil = machine.endAwaited(wait) else { return }
        observing.insert(wait)
    }

    private mutating func call() {
        calls += 1
        switch machine.callBegan() {
        case .begin(let session):
            if place != .connected(session.number) { faults.append("a call begins without a connection") }
        case .wait(let wait): waiting[calls] = wait
        case .fail(let error):
            if error.delivery != .notSent { faults.append("a call that was not made is not certain") }
            if fault == .admitsTooManyCalls, waiting.count == Self.limit { waiting[calls] = CancellableWait() }
        }
    }

    // MARK: Outcomes

    private mutating func release(_ release: Machine.Release?) {
        guard var release else { return }
        if isOver { faults.append("something is released after the end") }
        if fault == .forgetsACall { release.calls = release.calls.dropLast() }
        if fault == .forgetsAnObserver { release.observers = [] }
        for _ in 0..<(fault == .releasesTwice ? 2 : 1) { settle(release) }
        if case .ended = release.outcome { isOver = true }
        if case .connected = release.outcome, machine.isClosed { faults.append("a closed client is connected") }
    }

    private mutating func settle(_ release: Machine.Release) {
        if let wait = release.connecting, connecting.remove(wait) == nil { faults.append("connect() ends twice") }
        for observer in release.observers where observing.remove(observer) == nil { faults.append("run() ends twice") }
        for call in release.calls {
            guard let number = waiting.first(where: { $0.value == call })?.key else {
                faults.append("a call that does not wait is resumed")
                continue
            }
            waiting[number] = nil
        }
    }

    private mutating func check() {
        if waiting.count > Self.limit { faults.append("too many calls wait") }
        let isRunning = place != .none
        switch machine.phase {
        case .idle, .ended:
            if !connecting.isEmpty { faults.append("connect() waits for nothing") }
            if !waiting.isEmpty { faults.append("a call waits for nothing") }
            if machine.phase == .ended, !observing.isEmpty { faults.append("run() does not end") }
        case .connecting, .reconnecting:
            if !isRunning { faults.append("nobody connects") }
        case .ready:
            if !isRunning { faults.append("nobody waits for the end") }
            if !connecting.isEmpty { faults.append("connect() waits for a connection that is there") }
            if !waiting.isEmpty { faults.append("a call waits for a connection that is there") }
        }
    }
}
