// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// The outcomes of many calls, in the order in which the calls end, each with the index of its request.
///
/// Make it with `results(of:inFlight:)` of a ``JSONRPCCaller``. The first request is sent when the iteration begins.
/// Requests are taken from their sequence and encoded, and results are decoded, in the consumer's task.
///
/// - **Backpressure.** At most `inFlight` calls are in flight. A consumer that takes no results stops the sending: at
///   most `inFlight` outcomes wait for it, in addition to the calls in flight.
/// - **Semantics.** Each call has its own id, timeout and delivery certainty, as a single call has. With interceptors,
///   and over a caller that is not a ``JSONRPCClient`` or a ``DuplexSession``, each call is made by a task.
/// - **Notifications** of a type that conforms to `JSONRPCNotification` are sent one after the other.
/// - **End.** When the loop is left, or the task is cancelled, calls without an outcome are cancelled, and the peer
///   gets cancellation notices as for single calls. In a cancelled task, the next step of the loop throws a
///   `CancellationError`.
///
/// Iterate over the sequence only once.
public struct CallResults<Request: JSONRPCRequest>: AsyncSequence {
    public typealias Element = (index: Int, result: Result<Request.Response, CallError>)
    public typealias Failure = any Error

    @usableFromInline let begin: () -> AsyncIterator

    @usableFromInline
    init(begin: @escaping () -> AsyncIterator) { self.begin = begin }

    @inlinable
    public func makeAsyncIterator() -> AsyncIterator { begin() }

    // The iterator is inlinable as far as it is generic. In the consumer's module, the compiler specializes it for the
    // type of the request; otherwise each call would search for the type's metadata many times.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let engine: FanOut
        @usableFromInline let caller: any JSONRPCCaller
        @usableFromInline let coder: any MessageCoder
        /// Takes a request of a sequence, in the consumer's task, or of the queue of an asynchronous sequence.
        @usableFromInline let nextRequest: () -> NextRequest<Request>
        /// The requests of the calls without an outcome, by slot.
        @usableFromInline var requests: ContiguousArray<Request?> = []

        init(
            engine: FanOut, over caller: any JSONRPCCaller, _ nextRequest: @escaping () -> NextRequest<Request>
        ) {
            self.engine = engine
            self.caller = caller
            self.nextRequest = nextRequest
            coder = caller.coder
        }

        /// Returns the outcome of the next call that has ended; `nil` after the last.
        ///
        /// - Throws: A `CancellationError` if the task is cancelled; the error that an asynchronous sequence of
        ///   requests threw, after the outcomes of the earlier requests.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
            if Request.isNotification { return try await nextNotification() }
            while true {
                switch try engine.step() {
                case .take(let ready): return element(ready)
                case .end: return nil
                case .send: sendMore()
                }
                guard try await engine.wait() else { return nil }
                for call in engine.takeLost() { sendAgain(call) }
                // The peer works on further calls while the consumer handles these outcomes.
                sendMore()
            }
        }

        @inlinable
        mutating func element(_ ready: FanOut.Ready) -> Element? {
            guard let request = requests[ready.slot].take() else { return nil }
            switch ready.outcome {
            case .success(let result):
                do {
                    return (ready.index, .success(try request.response(from: result, using: coder)))
                } catch {
                    return (ready.index, .failure(Self.failure(of: request, error, result)))
                }
            case .failure(let error): return (ready.index, .failure(Self.naming(request, error)))
            }
        }

        @usableFromInline
        static func failure(of request: Request, _ error: any Error, _ result: RawJSON) -> CallError {
            request.decodingFailure(error, result)
        }

        @usableFromInline
        static func naming(_ request: Request, _ error: CallError) -> CallError { error.naming(method: request.method) }

        // MARK: Requests

        @inlinable
        mutating func sendMore() {
            guard engine.beginSending() else { return }
            while engine.hasRoom {
                switch nextRequest() {
                case .request(let request): send(request)
                case .notYet: return engine.submit()
                case .end(let error):
                    engine.endSource(error)
                    return engine.submit()
                }
            }
            engine.submit()
        }

        @inlinable
        mutating func send(_ request: Request) {
            let slot = engine.takeSlot()
            while requests.count <= slot { requests.append(nil) }
            requests[slot] = request
            if engine.usesTasks { return sendInTask(request, slot) }
            let hasParams = Request.Params.self != NoParams.self
            engine.send(slot, method: request.method, extraMembers: request.extraMembers, hasParams: hasParams) {
                try coder.encode(request.params, into: &$0)
            }
        }

        @usableFromInline
        func sendInTask(_ request: Request, _ slot: Int) {
            let params: RawJSON?
            do throws(ClientError) {
                params = try request.encodedParams(using: coder)
            } catch {
                return engine.fail(slot, error)
            }
            let options = engine.options.adding(to: request.extraMembers, isIdempotent: request.isIdempotent)
            engine.make(slot, request.method, params, options, over: caller)
        }

        @usableFromInline
        func sendAgain(_ call: FanOut.Lost) {
            guard let request = requests[call.slot] else { return }
            let options = engine.options.adding(to: request.extraMembers, isIdempotent: request.isIdempotent)
            engine.sendAgain(call, method: request.method, options: options) { () throws(ClientError) in
                try request.encodedParams(using: coder)
            }
        }

        /// Sends the next notification. Notifications have no outcome to wait for, and are sent in order.
        @usableFromInline
        func nextNotification() async throws -> Element? {
            while true {
                guard try engine.acceptsNotifications() else { return nil }
                switch nextRequest() {
                case .request(let request):
                    let index = engine.takeNotificationIndex()
                    do {
                        let response = try await caller.call(
                            request, timeout: engine.timeout, options: engine.options)
                        return (index, .success(response))
                    } catch {
                        if Task.isCancelled { continue }
                        return (index, .failure(CallError(error, method: request.method)))
                    }
                case .notYet: await engine.waitForRequest()
                case .end(let error): try engine.endNotifications(error)
                }
            }
        }
    }
}

extension JSONRPCCaller {
    /// Makes many calls, a limited number at a time, and returns their outcomes as the calls end.
    ///
    /// ```swift
    /// for try await (index, result) in client.results(of: requests, inFlight: 256) { … }
    /// ```
    ///
    /// Over a client or a session, this costs much less than a task for each call, and the calls are single messages,
    /// so it works with servers that refuse batches. See ``CallResults`` for backpressure, cancellation and order.
    ///
    /// - Parameters:
    ///   - requests: The requests. They are taken one by one, in the consumer's task, when there is room for a call.
    ///   - inFlight: The maximum number of calls in flight, at least 1. The default is 256.
    ///   - timeout: The limit for each call, including the time it waits to be sent. The default is
    ///     ``SessionConfiguration/Calls/timeout``.
    ///   - options: Options whose extra members are added to the request's own.
    @inlinable
    public func results<Requests: Sequence>(
        of requests: Requests, inFlight: Int = 256, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) -> CallResults<Requests.Element> where Requests.Element: JSONRPCRequest {
        CallResults {
            var iterator = requests.makeIterator()
            return CallResults.AsyncIterator(
                over: self, { iterator.next().map { .request($0) } ?? .end(nil) }, inFlight: inFlight, timeout: timeout,
                options: options)
        }
    }

    /// Makes many calls for the requests of an asynchronous sequence, a limited number at a time, and returns their
    /// outcomes as the calls end.
    ///
    /// A task reads the sequence, and pauses while `inFlight` requests wait to be sent. If the sequence throws, the
    /// earlier calls continue, and the loop throws the error after their outcomes.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - inFlight: The maximum number of calls in flight, at least 1. The default is 256.
    ///   - timeout: The limit for each call, including the time it waits to be sent. The default is
    ///     ``SessionConfiguration/Calls/timeout``.
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
    @usableFromInline
    init(
        over caller: some JSONRPCCaller, _ nextRequest: @escaping () -> NextRequest<Request>, inFlight: Int,
        timeout: CallTimeout, options: CallOptions
    ) {
        let engine = FanOut(
            over: caller, inbox: OutcomeInbox(), limit: Self.limit(inFlight), timeout: timeout, options: options,
            reader: nil)
        self.init(engine: engine, over: caller, nextRequest)
    }

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
        self.init(engine: engine, over: caller) { queue.next() }
    }

    private static func limit(_ inFlight: Int) -> Int { min(max(1, inFlight), Int(Int32.max)) }
}
