// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization
import TaskWaits

/// Limits the number of requests in flight. Further requests wait in order, and can be cancelled while they wait.
///
/// A request is in flight until the body of its response was read to its end or released.
public final class ConcurrencyLimitInterceptor: HTTPInterceptor {
    private let gate: RequestGate

    /// Makes an interceptor.
    ///
    /// - Parameter limit: The largest number of requests in flight, at least 1.
    public init(limit: Int) { gate = RequestGate(limit: limit) }

    /// The number of requests that wait.
    public var waitingRequests: Int { gate.waitingCount }

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        let permit = try await Permit(of: gate)
        do {
            let response = try await next(request, body: body, context: context)
            response.body.mapSource { PermittedSource(base: $0, permit: permit) }
            return response
        } catch {
            permit.giveBack()
            throw error
        }
    }
}

/// A body that returns a permit at its end, or when it is released.
private struct PermittedSource: HTTPByteSource {
    var base: any HTTPByteSource
    let permit: Permit

    mutating func next() async throws -> ArraySlice<UInt8>? {
        var piece: ArraySlice<UInt8>?
        defer { if piece == nil { permit.giveBack() } }
        piece = try await base.next()
        return piece
    }
}

/// A permit of a gate. It is returned once, at the latest when it is released.
private final class Permit: Sendable {
    private let gate: RequestGate
    private let isGivenBack = Atomic(false)

    init(of gate: RequestGate) async throws {
        try await gate.enter()
        self.gate = gate
    }

    deinit { giveBack() }

    func giveBack() {
        if !isGivenBack.exchange(true, ordering: .relaxed) { gate.leave(isAnswered: false) }
    }
}

/// Lets a limited number of requests run at a time. The others wait in order, and can be cancelled.
///
/// If failures of connections are reported, the limit adapts to the server: when connections are refused or closed
/// while others are in use, there are too many. Each such failure halves the limit. As many responses in a row as the
/// limit raise it by one, up to the configured limit.
package final class RequestGate: Sendable {
    /// The error of a request for which no place to wait is left.
    package struct Full: Error {
        package let limit: Int
    }

    private struct State {
        /// The maximum number of requests in flight, at present.
        var limit: Int
        var inFlight = 0
        /// The number of responses since the limit was changed.
        var answers = 0
        var waits = OrderedWaits<Void>()

        mutating func countAnswer(upTo maximumLimit: Int) {
            guard limit < maximumLimit else { return }
            answers += 1
            guard answers >= limit else { return }
            limit += 1
            answers = 0
        }

        /// Begins the request that has waited longest, if there is room.
        mutating func beginNext() -> CancellableWait<Void>? {
            guard inFlight < limit, let wait = waits.popFirst() else { return nil }
            inFlight += 1
            return wait
        }
    }

    private let maximumLimit: Int
    private let maximumWaiting: Int
    private let state: Mutex<State>

    package init(limit: Int, maximumWaiting: Int = .max) {
        self.maximumWaiting = max(0, maximumWaiting)
        maximumLimit = max(1, limit)
        state = Mutex(State(limit: maximumLimit))
    }

    package var limit: Int { state.withLock { $0.limit } }

    package var waitingCount: Int { state.withLock { $0.waits.count } }

    /// Waits for room, and takes it.
    ///
    /// - Throws: ``Full``; a `CancellationError`.
    package func enter() async throws {
        try Task.checkCancellation()
        let wait = try state.withLock { state -> CancellableWait<Void>? in
            // Waiting requests go first.
            if state.inFlight < state.limit, state.waits.isEmpty {
                state.inFlight += 1
                return nil
            }
            guard state.waits.count < maximumWaiting else { throw Full(limit: maximumWaiting) }
            return state.waits.append()
        }
        guard let wait else { return }
        do {
            try await wait.value()
        } catch {
            state.withLock { $0.waits.remove(wait) }
            throw error
        }
    }

    package func leave(isAnswered: Bool) {
        state.withLock { state in
            if isAnswered { state.countAnswer(upTo: maximumLimit) }
            state.inFlight -= 1
        }
        beginNext()
    }

    /// Ends a request whose connection was refused or closed. If others were in flight, it lowers the limit and returns
    /// `true`: a retry may succeed.
    package func leaveRefused() -> Bool {
        let isLowered = state.withLock { state in
            defer { state.inFlight -= 1 }
            guard state.inFlight > 1 else { return false }
            state.limit = max(1, min(state.limit, state.inFlight) / 2)
            state.answers = 0
            return true
        }
        beginNext()
        return isLowered
    }

    private func beginNext() {
        while let wait = state.withLock({ $0.beginNext() }) {
            // If a wait was cancelled, the next one gets its place.
            if !wait.resume() { state.withLock { $0.inFlight -= 1 } }
        }
    }
}
