// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Keeps the outcomes of several calls until the task that made them takes them.
///
/// The transport's thread stores the outcomes that were read together under one lock, and wakes the task once.
package final class OutcomeInbox: Sendable {
    /// The outcome of the call with this number: its place in a batch, or a slot of a ``FanOut``.
    package struct Arrival: Sendable {
        package var slot: Int32
        package var outcome: CallOutcome
    }

    private struct State {
        var arrivals: [Arrival] = []
        var hasSignal = false
        var consumer: UnsafeContinuation<Void, Never>?
        /// The number of outcomes that the consumer waits for.
        var wanted = 1

        func isDue(_ count: Int) -> Bool { arrivals.count >= count || hasSignal }

        /// Returns the consumer if it must be woken, after the lock is released.
        mutating func due() -> UnsafeContinuation<Void, Never>? { isDue(wanted) ? consumer.take() : nil }
    }

    private let state = Mutex(State())

    package init() {}

    package func settle(_ slot: Int32, _ outcome: CallOutcome) {
        add { $0.append(Arrival(slot: slot, outcome: outcome)) }
    }

    /// Stores one outcome for several calls: the entries of an array that was not sent, or that holds notifications
    /// alone.
    func settle(_ slots: Range<Int32>, _ outcome: CallOutcome) {
        add { $0 += slots.map { Arrival(slot: $0, outcome: outcome) } }
    }

    /// Stores outcomes, and empties the array.
    func settle(_ arrivals: inout [Arrival]) {
        add { stored in
            // Both arrays keep their storage, so that steady traffic allocates nothing.
            if stored.isEmpty { swap(&stored, &arrivals) } else { stored += arrivals }
        }
        arrivals.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    private func add(_ change: (inout [Arrival]) -> Void) {
        let consumer = state.withLock { state in
            change(&state.arrivals)
            return state.due()
        }
        consumer?.resume()
    }

    /// Wakes the consumer without an outcome. If outcomes are there, the consumer takes them first, and the signal
    /// next.
    package func signal() {
        let consumer = state.withLock { state in
            state.hasSignal = true
            return state.consumer.take()
        }
        consumer?.resume()
    }

    /// Waits for enough outcomes or for ``signal()``, and takes all outcomes in the order in which the calls ended. It
    /// takes none if only the signal came. Cancelling the task does not end the wait. `arrivals` must be empty.
    ///
    /// - Parameter count: The number of outcomes to wait for.
    package func take(_ arrivals: inout [Arrival], atLeast count: Int = 1) async {
        if takeNow(&arrivals, atLeast: count) { return }
        // The unsafe continuation is resumed exactly once, because it is removed from the state first.
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isLate = state.withLock { state in
                if state.isDue(count) { return true }
                (state.consumer, state.wanted) = (continuation, count)
                return false
            }
            if isLate { continuation.resume() }
        }
        _ = takeNow(&arrivals, atLeast: count)
    }

    /// Does the same, but also ends when the task is cancelled, possibly without an outcome.
    func takeUnlessCancelled(_ arrivals: inout [Arrival], atLeast count: Int = 1) async {
        if takeNow(&arrivals, atLeast: count) { return }
        await withTaskCancellationHandler {
            await take(&arrivals, atLeast: count)
        } onCancel: {
            signal()
        }
    }

    /// Takes the outcomes without waiting. Returns `false` if the wait is not over.
    private func takeNow(_ arrivals: inout [Arrival], atLeast count: Int) -> Bool {
        state.withLock { state in
            guard state.isDue(count) else { return false }
            swap(&state.arrivals, &arrivals)
            if arrivals.isEmpty { state.hasSignal = false }
            return true
        }
    }
}

/// Outcomes that were read together, for one inbox at a time.
struct OutcomeBuffer {
    /// The number of outcomes after which the consumer is woken before the read ends, so that it can work meanwhile.
    private static let limit = 256

    private var inbox: OutcomeInbox?
    private var arrivals: [OutcomeInbox.Arrival] = []

    var isEmpty: Bool { arrivals.isEmpty }

    mutating func add(_ inbox: OutcomeInbox, _ slot: Int32, _ outcome: consuming CallOutcome) {
        if self.inbox !== inbox {
            flush()
            self.inbox = inbox
        }
        arrivals.append(OutcomeInbox.Arrival(slot: slot, outcome: outcome))
        if arrivals.count >= Self.limit { flush() }
    }

    mutating func flush() {
        guard let inbox = inbox.take() else { return }
        inbox.settle(&arrivals)
    }
}
