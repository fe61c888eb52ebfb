// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore

extension JSONRPCCaller {
    /// Makes many calls, a limited number at a time, and returns their outcomes as the calls end.
    ///
    /// ```swift
    /// for try await (index, result) in client.results(of: requests, inFlight: 256) { … }
    /// ```
    ///
    /// Over a client or a session, this costs much less than a task for each call, and the calls are single messages, so
    /// it works with servers that refuse batches. See ``CallResults`` for backpressure, cancellation and order.
    ///
    /// - Parameters:
    ///   - requests: The requests. They are taken one by one, in the consumer's task, when there is room for a call.
    ///   - inFlight: The maximum number of calls in flight, at least 1. The default is 256.
    ///   - timeout: The limit for each call, including the time it waits to be sent. The default is
    ///     ``SessionConfiguration/callTimeout``.
    ///   - options: Options whose extra members are added to the request's own.
    @inlinable
    public func results<Requests: Sequence>(
        of requests: Requests, inFlight: Int = 256, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) -> CallResults<Requests.Element> where Requests.Element: JSONRPCRequest {
        CallResults {
            var iterator = requests.makeIterator()
            return CallResults.AsyncIterator(
                over: self, { iterator.next() }, inFlight: inFlight, timeout: timeout, options: options)
        }
    }

    /// Makes many calls for the requests of an asynchronous sequence, a limited number at a time, and returns their
    /// outcomes as the calls end.
    ///
    /// A task reads the sequence. It stops while `inFlight` requests wait to be sent. If the sequence throws, the calls
    /// before are carried on, and the loop throws the error after their outcomes.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - inFlight: The maximum number of calls in flight, at least 1. The default is 256.
    ///   - timeout: The limit for each call, including the time it waits to be sent. The default is
    ///     ``SessionConfiguration/callTimeout``.
    ///   - options: Options whose extra members are added to the request's own.
    public func results<Requests: AsyncSequence & Sendable>(
        of requests: Requests, inFlight: Int = 256, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) -> CallResults<Requests.Element> where Requests.Element: JSONRPCRequest {
        CallResults {
            CallResults.AsyncIterator(
                over: self, reading: requests, inFlight: inFlight, timeout: timeout, options: options)
        }
    }
}

extension CallResults.AsyncIterator {
    /// Makes calls for the requests of a sequence.
    @usableFromInline
    init(
        over caller: some JSONRPCCaller, _ next: @escaping () -> Request?, inFlight: Int, timeout: CallTimeout,
        options: CallOptions
    ) {
        let engine = FanOut(
            over: caller, inbox: OutcomeInbox(), limit: Self.limit(inFlight), timeout: timeout, options: options,
            reader: nil)
        self.init(engine: engine, over: caller, source: .iterator(next), timeout: timeout, options: options)
    }

    /// Makes calls for the requests of an asynchronous sequence.
    init<Requests: AsyncSequence & Sendable>(
        over caller: some JSONRPCCaller, reading requests: Requests, inFlight: Int, timeout: CallTimeout,
        options: CallOptions
    ) where Requests.Element == Request {
        let inbox = OutcomeInbox()
        let limit = Self.limit(inFlight)
        let queue = RequestQueue<Request>(limit: limit, inbox: inbox)
        let engine = FanOut(
            over: caller, inbox: inbox, limit: limit, timeout: timeout, options: options,
            reader: Task { await queue.read(requests) })
        self.init(engine: engine, over: caller, source: .queue(queue), timeout: timeout, options: options)
    }

    private static func limit(_ inFlight: Int) -> Int { min(max(1, inFlight), Int(Int32.max)) }
}
