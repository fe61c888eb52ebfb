// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// Keeps the outcomes of a fan-out until its consumer takes them.
///
/// The transport's thread stores the outcomes that were read together under one lock, and wakes the consumer once.
final class FanOutInbox: Sendable {
    /// The outcome of the call in a slot.
    struct Arrival: Sendable {
        var slot: Int32
        var outcome: Outcome
    }

    enum Outcome: Sendable {
        /// Of a call that was submitted to a session.
        case settled(CallOutcome)
        /// Of a call that a task made.
        case finished(Result<RawJSON, CallError>)
    }

    private struct State {
        var arrivals: [Arrival] = []
        var hasSignal = false
        var consumer: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Stores one outcome.
    func settle(_ slot: Int32, _ outcome: Outcome) {
        let consumer = state.withLock { state in
            state.arrivals.append(Arrival(slot: slot, outcome: outcome))
            return state.consumer.take()
        }
        consumer?.resume()
    }

    /// Stores outcomes, and empties the array.
    func settle(_ arrivals: inout [Arrival]) {
        let consumer = state.withLock { state in
            if state.arrivals.isEmpty {
                // Both arrays keep their storage, so that steady traffic allocates nothing.
                swap(&state.arrivals, &arrivals)
            } else {
                state.arrivals.append(contentsOf: arrivals)
            }
            return state.consumer.take()
        }
        arrivals.removeAll(keepingCapacity: true)
        consumer?.resume()
    }

    /// Wakes the consumer without an outcome: for a request that has arrived, or because of cancellation.
    func signal() {
        let consumer = state.withLock { state in
            state.hasSignal = true
            return state.consumer.take()
        }
        consumer?.resume()
    }

    /// Takes all outcomes, in the order in which the calls ended. Waits for the first, unless it is woken by ``signal()``
    /// or the task is cancelled. `arrivals` must be empty.
    func take(_ arrivals: inout [Arrival]) async {
        if takeNow(&arrivals) { return }
        await withTaskCancellationHandler {
            // The continuation is unsafe, and is resumed exactly once: it is removed from the state before.
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let isLate = state.withLock { state in
                    if !state.arrivals.isEmpty || state.hasSignal { return true }
                    state.consumer = continuation
                    return false
                }
                if isLate { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
        _ = takeNow(&arrivals)
    }

    /// Returns `false` if there is nothing to wake for.
    private func takeNow(_ arrivals: inout [Arrival]) -> Bool {
        state.withLock { state in
            swap(&state.arrivals, &arrivals)
            defer { state.hasSignal = false }
            return !arrivals.isEmpty || state.hasSignal
        }
    }
}

/// Outcomes of fan-outs that were read together, for one inbox at a time.
struct OutcomeBuffer {
    /// The number of outcomes after which the consumer is woken before the read ends, so that it can work meanwhile.
    private static let limit = 256

    private var inbox: FanOutInbox?
    private var arrivals: [FanOutInbox.Arrival] = []

    var isEmpty: Bool { arrivals.isEmpty }

    mutating func add(_ inbox: FanOutInbox, _ slot: Int32, _ outcome: consuming CallOutcome) {
        if self.inbox !== inbox {
            flush()
            self.inbox = inbox
        }
        arrivals.append(FanOutInbox.Arrival(slot: slot, outcome: .settled(outcome)))
        if arrivals.count >= Self.limit { flush() }
    }

    /// Passes the outcomes to their inbox.
    mutating func flush() {
        guard let inbox = inbox.take() else { return }
        inbox.settle(&arrivals)
    }
}

/// A call of a fan-out, ready to be sent.
struct FanOutCall: Sendable {
    /// The slot of the fan-out that the outcome is for.
    var slot: Int32
    /// The range of the request's tail.
    var tail: Range<Int>
    /// The entry of the call, if it was submitted.
    var key: CallKey?
}
