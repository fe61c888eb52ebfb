// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization

/// Limits the number of requests in flight. Further requests wait in order, and can be cancelled while they wait.
///
/// A request is in flight until the body of its response was read to its end or released.
public final class ConcurrencyLimitInterceptor: HTTPInterceptor {
    private let queue: PermitQueue

    /// Makes an interceptor.
    ///
    /// - Parameter limit: The largest number of requests in flight, at least 1.
    public init(limit: Int) { queue = PermitQueue(permits: max(limit, 1)) }

    /// The number of requests that wait.
    public var waitingRequests: Int { queue.waiting }

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> (HTTPResponse, HTTPByteStream) {
        let permit = try await queue.permit()
        do {
            let (head, stream) = try await next(request, body: body, context: context)
            stream.mapSource { PermittedSource($0, permit) }
            return (head, stream)
        } catch {
            permit.giveBack()
            throw error
        }
    }
}

/// A body that gives back a permit at its end, or when it is released.
private final class PermittedSource: HTTPByteSource {
    private let base: any HTTPByteSource
    private let permit: PermitQueue.Permit

    init(_ base: any HTTPByteSource, _ permit: PermitQueue.Permit) {
        self.base = base
        self.permit = permit
    }

    func next() async throws -> ArraySlice<UInt8>? {
        do {
            if let piece = try await base.next() { return piece }
        } catch {
            permit.giveBack()
            throw error
        }
        permit.giveBack()
        return nil
    }
}

/// Gives out permits in the order in which they were asked for.
final class PermitQueue: Sendable {
    /// A permit, which is given back once, at the latest when it is released.
    final class Permit: Sendable {
        private let queue: Mutex<PermitQueue?>

        fileprivate init(_ queue: PermitQueue) { self.queue = Mutex(queue) }

        deinit { giveBack() }

        func giveBack() { queue.withLock { $0.take() }?.giveBack() }
    }

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var permits: Int
        /// The waiters, by numbers that grow.
        var waiters: [(number: UInt64, waiter: Waiter)] = []
        /// Waiters that were cancelled before they waited.
        var cancelled: Set<UInt64> = []
        var lastNumber: UInt64 = 0
    }

    private let state: Mutex<State>

    init(permits: Int) { state = Mutex(State(permits: permits)) }

    var waiting: Int { state.withLock { $0.waiters.count } }

    func permit() async throws -> Permit {
        try Task.checkCancellation()
        let number = state.withLock { state -> UInt64? in
            if state.permits > 0 {
                state.permits -= 1
                return nil
            }
            state.lastNumber += 1
            return state.lastNumber
        }
        if let number { try await wait(number) }
        return Permit(self)
    }

    private func wait(_ number: UInt64) async throws {
        // A cancellation after the end of the wait leaves its mark behind.
        defer { _ = state.withLock { $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let answer = state.withLock { state -> Result<Void, CancellationError>? in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    // A permit may have been given back meanwhile.
                    if state.permits > 0 {
                        state.permits -= 1
                        return .success(())
                    }
                    state.waiters.append((number, waiter))
                    return nil
                }
                switch answer {
                case .success?: waiter.resume()
                case .failure(let error)?: waiter.resume(throwing: error)
                case nil: break
                }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.waiters.remove(at: index).waiter
        }
        waiter?.resume(throwing: CancellationError())
    }

    private func giveBack() {
        let waiter = state.withLock { state -> Waiter? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst().waiter }
            state.permits += 1
            return nil
        }
        waiter?.resume()
    }
}
