// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import WireJSON

/// A sequence of the outcomes of a batch, in the order of their arrival, each with the index of its request.
///
/// Each request has one outcome, and the sequence ends after the last outcome. Requests that cannot be encoded come
/// first, and notifications last. Results are decoded in the consumer's task.
///
/// The batch is sent when the sequence is made. Calls without a response are cancelled when the sequence and its
/// iterator are released, or when the task that iterates is cancelled. The loop of a cancelled task ends without
/// outcomes for them. Iterate over the sequence only once.
public struct BatchStream<Request: JSONRPCRequest>: AsyncSequence, Sendable {
    public typealias Element = (index: Int, result: Result<Request.Response, CallError>)
    public typealias Failure = Never

    private let requests: [Request]
    private let coder: any MessageCoder
    private let outcomes: AsyncStream<Outcome>

    /// The outcome is `nil` for a notification that was sent.
    fileprivate typealias Outcome = (index: Int, outcome: Result<RawJSON, CallError>?)

    init(_ requests: [Request], over caller: some JSONRPCCaller, timeout: CallTimeout) {
        self.requests = requests
        let coder = caller.coder
        self.coder = coder
        let (stream, continuation) = AsyncStream.makeStream(of: Outcome.self)
        outcomes = stream
        let task = Task { await Self.run(requests, coder, caller, timeout, continuation) }
        continuation.onTermination = { if case .cancelled = $0 { task.cancel() } }
    }

    private static func run(
        _ requests: [Request], _ coder: any MessageCoder, _ caller: some JSONRPCCaller, _ timeout: CallTimeout,
        _ continuation: AsyncStream<Outcome>.Continuation
    ) async {
        var plan = BatchPlan(requests, using: coder)
        var isOpen = [Bool](repeating: true, count: requests.count)
        func hand(_ index: Int, _ outcome: Result<RawJSON, CallError>?) {
            guard isOpen[index] else { return }
            isOpen[index] = false
            continuation.yield((index, outcome))
        }
        for index in plan.unsent { hand(index, plan.arrived[index]) }
        do {
            try await caller.batch(plan.entries, timeout: timeout, pace: .asTheyCome) { entry, outcome in
                let place = plan.settle(entry, outcome)
                hand(place, plan.arrived[place])
            }
        } catch {
            plan.settleAll(error)
        }
        for (index, outcome) in plan.outcomes().enumerated() { hand(index, outcome) }
        continuation.finish()
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(requests: requests, coder: coder, base: outcomes.makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let requests: [Request]
        fileprivate let coder: any MessageCoder
        fileprivate var base: AsyncStream<Outcome>.AsyncIterator

        /// Returns the next outcome; `nil` after the last outcome, and in a cancelled task.
        public mutating func next() async -> Element? { await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            guard let (index, outcome) = await base.next(isolation: actor) else { return nil }
            return (index, requests[index].outcome(of: outcome, using: coder))
        }
    }
}
