// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONRPCCore
import JSONRPCSession
import Synchronization
import TaskWaits

/// Sends members in POSTs, and reads the answers. All clients that share header fields, ids and limits share it.
final class Poster: Sendable {
    let configuration: SessionConfiguration
    let options: JSONRPCHTTPOptions
    let clock: any SessionClock
    private let httpClock: ClientClock
    /// Ends POSTs when the client is closed and, unless a program's own clock measures them, at their deadlines.
    private let keeper: TimeKeeper
    private let hasOwnClock: Bool
    let calls = Watched(OpenCalls())
    let gate: RequestGate
    private let rateLimiter: RateLimitInterceptor?
    let learned = Mutex(LearnedLimit())
    private let isCompressionRefused = Atomic(false)
    private let head: Result<HTTPRequest, JSONRPCHTTPError>
    private let transport: any HTTPTransport
    private let ids: SharedIDs
    private let writer: EnvelopeWriter
    private let rules: ResponseBodyReader.Rules

    init(
        url: String, transport: any HTTPTransport, configuration: SessionConfiguration, options: JSONRPCHTTPOptions
    ) {
        self.configuration = configuration
        self.options = options
        self.transport = transport
        clock = anchored(configuration.clock)
        httpClock = ClientClock(clock)
        keeper = TimeKeeper(clock: httpClock)
        hasOwnClock = !(configuration.clock is ContinuousClock)
        gate = RequestGate(limit: options.maximumRequestsInFlight, maximumWaiting: options.maximumWaitingRequests)
        rateLimiter = options.rateLimit.map { [httpClock] in RateLimitInterceptor($0.limit, clock: httpClock) }
        ids = SharedIDs(configuration.calls.idGenerator)
        writer = EnvelopeWriter(version: configuration.version.outbound)
        var fields: HTTPFields = [.contentType: options.contentType, .accept: options.accept]
        fields.replace(with: options.headerFields)
        self.head = Result { () throws(JSONRPCHTTPError) in try HTTPRequest(postURL: url, headerFields: fields) }
        rules = ResponseBodyReader.Rules(configuration)
    }

    // MARK: Members

    /// Encodes a call or a notification. `params` is an array, an object, or `nil`.
    func encode(_ method: String, _ params: RawJSON?, _ options: CallOptions, isNotification: Bool) -> EncodedMember {
        let extra = configuration.calls.extraMembers.merging(options.extraMembers)
        var member = EncodedMember(
            method: method, tail: [], id: nil, bytes: 0, isIdempotent: options.isIdempotent, begun: clock.now)
        if isNotification {
            writer.appendNotification(method: method, params: params, extra: extra, to: &member.tail)
            member.bytes = member.tail.count
        } else {
            let id = ids.next()
            var idText: [UInt8] = []
            id.write(into: &idText)
            writer.appendRequestTail(method: method, params: params, extra: extra, to: &member.tail)
            member.id = id
            member.bytes = writer.requestHead.count + idText.count + member.tail.count
        }
        if !member.isIdempotent, let policy = self.options.retry { member.isIdempotent = policy.isIdempotent(method) }
        return member
    }

    /// Makes the body of a POST. Calls get new ids in later attempts.
    func compose(_ members: [EncodedMember], attempt: Int) -> Post {
        let isArray = members.count > 1 || !options.sendsSingleAsObject
        var post = Post(
            requests: [], body: [], isArray: isArray, isIdempotent: !members.contains { !$0.isIdempotent },
            attempt: attempt)
        post.body.reserveCapacity(members.reduce(2) { $0 + $1.bytes + 1 })
        post.requests.reserveCapacity(members.count)
        for member in members {
            if isArray { post.body.append(UInt8(ascii: post.body.isEmpty ? "[" : ",")) }
            let id = member.id.map { attempt == 1 ? $0 : ids.next() }
            post.requests.append(RequestObject(id: id, method: member.method))
            if let id {
                writer.appendRequest(id: id, tail: member.tail, to: &post.body)
            } else {
                post.body.append(contentsOf: member.tail)
            }
        }
        if isArray { post.body.append(UInt8(ascii: "]")) }
        return post
    }

    // MARK: POSTs

    /// Sends one POST. It does not throw: failures are in the outcomes.
    ///
    /// - Parameter settleEarly: Gets outcomes before the POST has ended: see ``PostAttempt``.
    func send(
        _ post: Post, fields: HTTPFields, by deadline: SessionTime?, settleEarly: PostAttempt.SettleEarly? = nil
    ) async -> PostOutcome {
        let attempt = PostAttempt(post, fields, by: self, settleEarly: settleEarly)
        var outcome: PostOutcome
        do {
            try Task.checkCancellation()
            if let deadline, deadline <= clock.now { throw ClientError.timedOut(.notSent) }
            outcome = try await ended(attempt, by: deadline)
        } catch {
            // In a cancelled task, a transport may throw an error other than `CancellationError`.
            let failure = Task.isCancelled ? .cancelled : CallError(error, isSent: attempt.isSent)
            outcome = PostOutcome(failure, of: post.requests)
        }
        outcome.leaveOut(attempt.settledPlaces)
        options.observe?(.posted(attempt.report(outcome, ended: clock.now)))
        return outcome
    }

    private func ended(_ attempt: PostAttempt, by deadline: SessionTime?) async throws -> PostOutcome {
        let isCancelled: Bool
        if hasOwnClock {
            isCancelled = try await clock.value(until: deadline) { await self.keeper.run(attempt, until: nil) } ?? true
        } else {
            isCancelled = await keeper.run(attempt, until: deadline.map(httpClock.instant))
        }
        switch attempt.outcome {
        case .success(let outcome)?: return outcome
        case .failure(let error)? where !isCancelled: throw error
        case .failure, nil:
            let delivery: ClientError.Delivery = attempt.isSent ? .outcomeUnknown : .notSent
            throw isClosed ? ClientError.closed(delivery) : .timedOut(delivery)
        }
    }

    /// Accepts no more calls, and ends all POSTs and the delays before further attempts.
    func close() {
        calls.update { $0.phase = .closed }
        keeper.endAll()
    }

    /// Waits before an attempt. Returns `false` if the task is cancelled or the client is closed.
    func isReached(_ time: SessionTime) async -> Bool {
        do {
            let end = try await clock.value(until: time) { [calls] in try await calls.wait { $0.phase == .closed } }
            return end == nil && !isClosed
        } catch {
            return false
        }
    }

    /// Carries out a POST, in the task of the attempt.
    func perform(_ attempt: PostAttempt) async throws -> PostOutcome {
        // `close()` may have ended all attempts before this one began.
        if isClosed { throw ClientError.closed(.notSent) }
        if let rateLimiter, let cost = options.rateLimit?.cost {
            try await rateLimiter.take(cost(attempt.post.requests.map(\.method)))
        }
        while true {
            try await gate.enter()
            attempt.enter(at: clock.now)
            do {
                let outcome = try await sendOnce(attempt)
                gate.leave(isAnswered: outcome.answer != nil)
                return outcome
            } catch let error as HTTPTransportError where [.cannotConnect, .connectionLost].contains(error.code) {
                // With fewer connections, the server may accept this one.
                guard gate.leaveRefused(), error.isRequestUnsent else { throw error }
                attempt.isSent = false
            } catch {
                gate.leave(isAnswered: false)
                throw error
            }
        }
    }

    private func sendOnce(_ attempt: PostAttempt) async throws -> PostOutcome {
        let post = attempt.post
        var request = try head.get()
        request.headerFields.replace(with: attempt.fields)
        try await options.prepare?(&request)
        var context = HTTPRequestContext()
        context.attempt = post.attempt
        context.isIdempotent = post.isIdempotent
        context.timeouts.connect = options.connectTimeout
        // The timeout of the calls limits everything else.
        context.timeouts.firstByte = nil
        context.timeouts.idle = nil
        let isPlain = isCompressionRefused.load(ordering: .relaxed)
        let compressed = isPlain ? nil : options.compression?.compressed(post.body)
        if let compressed {
            var coded = request
            coded.headerFields[.contentEncoding] = "gzip"
            let outcome = try await exchange(coded, compressed, context, attempt)
            guard outcome.refusesCompression, attempt.settledPlaces.isEmpty else { return outcome }
            isCompressionRefused.store(true, ordering: .relaxed)
        }
        return try await exchange(request, post.body, context, attempt)
    }

    private func exchange(
        _ request: HTTPRequest, _ content: [UInt8], _ context: HTTPRequestContext, _ attempt: PostAttempt
    ) async throws -> PostOutcome {
        attempt.isSent = true
        attempt.report.sentBytes = content.count
        let entity = HTTPBodyEntity(
            contentType: request.headerFields[.contentType] ?? options.contentType, content: .bytes(content))
        let response = try await transport.send(request, body: entity, context: context)
        var reader = ResponseBodyReader(
            rules, response.head, for: attempt.post, limit: options.maximumAnswerBytes, length: response.body.length,
            offer: { attempt.settle($0, $1, $2) })
        try await read(response.body, into: &reader)
        attempt.report.receivedBytes = reader.count
        let (outcome, findings) = try reader.end()
        if let observe = options.observe, !findings.isEmpty, let answer = outcome.answer {
            for (irregularity, count) in findings { observe(.irregular(irregularity, count: count, answer)) }
        }
        return outcome
    }

    private func read(_ stream: HTTPByteStream, into reader: inout ResponseBodyReader) async throws {
        do {
            for try await piece in stream {
                guard reader.add(piece) else { return }
            }
        } catch {
            // In a cancelled task, a transport may throw an error other than `CancellationError`.
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            reader.interrupt(error)
        }
    }
}

/// The clock of a client, as a clock of HTTP requests.
struct ClientClock: HTTPClock {
    private let clock: any SessionClock
    private let origin = ContinuousClock.now

    init(_ clock: any SessionClock) { self.clock = clock }

    var now: ContinuousClock.Instant { instant(of: clock.now) }

    func instant(of time: SessionTime) -> ContinuousClock.Instant {
        origin.advanced(by: time.duration(since: .zero))
    }

    func sleep(until deadline: ContinuousClock.Instant) async throws {
        let time = SessionTime.zero.advanced(by: origin.duration(to: deadline))
        guard await clock.isReached(time) else { throw CancellationError() }
    }
}
