// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    /// The destination of an answer: a message of its own, or a place in the array that answers an array.
    typealias AnswerPlace = (batch: InboundBatch, index: Int)

    // MARK: Requests and notifications

    /// Decides about a request or a notification. Every call of the peer passes through here before its params are
    /// copied, so a rule for all calls belongs here.
    func dispatch(_ call: CallReading, _ message: ArrivedMessage, _ place: AnswerPlace? = nil) {
        let findsDuplicate = call.id != nil && configuration.strictness[.duplicateRequestID] >= .report
        // The admission of a regular request looks for a duplicate under the lock that it takes anyway.
        let isRegular = call.reported.isEmpty && call.violation == nil
        if !isRegular {
            var reported = call.reported
            if findsDuplicate, isServed(call.id) { reported.insert(.duplicateRequestID) }
            if !reported.isEmpty { report(reported, message, id: call.id) }
        }
        if call.violation != nil {
            if let echo = call.echo { reply(error: ErrorObject(.invalidRequest), to: echo, place) }
        } else if let echo = call.echo {
            serve(call, echo, message, place, looksForDuplicate: isRegular && findsDuplicate)
        } else {
            deliver(call, message)
        }
        if call.closesConnection { violate(call.reported.elements.first) }
    }

    /// Serves the members of an array that is not too long. `unreadable` members are answered with an error each.
    func dispatch(_ calls: [CallReading], unreadable: Int, _ message: ArrivedMessage) {
        let requests = calls.count { $0.echo != nil } + unreadable
        guard requests > 0 else {
            for call in calls { dispatch(call, message) }
            return
        }
        let batch = InboundBatch(requests: requests, held: heldAnswers)
        var index = 0
        for call in calls {
            guard call.echo != nil else {
                dispatch(call, message)
                continue
            }
            dispatch(call, message, (batch, index))
            index += 1
        }
        for _ in 0..<unreadable {
            reply(error: ErrorObject(.invalidRequest), to: nil, (batch, index))
            index += 1
        }
    }

    func refuseArray() {
        reply(error: ErrorObject(code: .invalidRequest, message: "Too many members."), to: nil, nil)
    }

    private func serve(
        _ arrived: CallReading, _ echo: EchoedID, _ message: ArrivedMessage, _ place: AnswerPlace?,
        looksForDuplicate: Bool
    ) {
        guard let handler = endpoint.requestHandler(arrived.method) else {
            if looksForDuplicate, isServed(arrived.id) { report([.duplicateRequestID], message, id: arrived.id) }
            endpoint.events.publish(.unhandledRequest(method: arrived.method))
            return reply(error: ErrorObject(.methodNotFound), to: echo, place)
        }
        let call = InboundCall(arrived, message, self)
        let admission = admit(call, echo, place, handler, looksForDuplicate: looksForDuplicate)
        if admission.isDuplicate { report([.duplicateRequestID], message, id: call.id) }
        guard let key = admission.key else {
            endpoint.events.publish(.inboundCallRefused(method: call.method))
            let busy = ErrorObject(
                code: SessionConfiguration.Inbound.serverBusy, message: "Too many calls are being served.")
            return reply(error: busy, to: echo, place)
        }
        switch handler {
        case .synchronous:
            if admission.startsServing { Task { await self.serveQueue() } }
        case .asynchronous(let handler):
            let task = Task { await self.answer(call, echo, place, key, handler) }
            let isWanted = state.withLock { $0.machine.served.setTask(task, for: key) }
            if !isWanted { task.cancel() }
        }
    }

    private func isServed(_ id: RequestID?) -> Bool {
        guard let id else { return false }
        return state.withLock { $0.machine.served.contains(id) }
    }

    /// Admits a call. A call of a synchronous handler joins the queue.
    private func admit(
        _ call: InboundCall, _ echo: EchoedID, _ place: AnswerPlace?, _ handler: RequestHandler,
        looksForDuplicate: Bool
    ) -> Machine.ServeAction {
        let hasRoom = place.map(\.batch.hasRoom) ?? true
        let limits = ServingLimits(
            calls: hasRoom ? configuration.inbound.maximumCalls : 0, bytes: configuration.inbound.maximumBytes)
        let size = call.heldBytes + echo.heldBytes
        return state.withLock { state in
            state.machine.requestReceived(
                call.id, bytes: size, within: limits, looksForDuplicate: looksForDuplicate
            ) { key in
                guard case .synchronous(let handler) = handler else { return nil }
                return QueuedServing(call: call, echo: echo, place: place, key: key, handler: handler)
            }
        }
    }

    private func answer(
        _ call: InboundCall, _ echo: EchoedID, _ place: AnswerPlace?, _ key: CallKey,
        _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON
    ) async {
        if isReadingPaused.load(ordering: .relaxed) { await untilAnswersAreRead() }
        var bytes: [UInt8] = []
        do {
            try checkRoom(place, call)
            let result = try await intercepted(call, handler)
            try checkRoom(place, call)
            bytes.reserveCapacity(48 + result.bytes.count)
            begin(echo, &bytes)
            bytes.append(contentsOf: result.bytes)
            writer.endResponse(&bytes)
        } catch {
            writer.appendErrorResponse(id: echo, error: errorObject(for: error, call), to: &bytes)
        }
        reply(bytes, place, ended: key)
    }

    /// Refuses a member of an array if its answer would have to wait for others and there is no room for it.
    func checkRoom(_ place: AnswerPlace?, _ call: InboundCall) throws(ErrorObject) {
        guard let place, !place.batch.hasRoom else { return }
        endpoint.events.publish(.inboundCallRefused(method: call.method))
        throw ErrorObject(
            code: SessionConfiguration.Inbound.serverBusy, message: "The answers to arrays take too much memory.")
    }

    /// Passes a call through the inbound interceptors to its handler.
    func intercepted(
        _ call: InboundCall, _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON
    ) async throws -> RawJSON {
        let interceptors = configuration.inbound.interceptors
        guard !interceptors.isEmpty else { return try await handler(call) }
        return try await NextInboundInterceptor(handler).behind(interceptors)(call)
    }

    func begin(_ echo: EchoedID, _ bytes: inout [UInt8]) {
        switch echo {
        case .number(let number): writer.beginResponse(id: number, &bytes)
        case .json(let json): writer.beginResponse(id: json, &bytes)
        }
    }

    func errorObject(for error: any Error, _ call: InboundCall) -> ErrorObject {
        if let object = error as? ErrorObject { return object }
        endpoint.events.publish(.handlerFailed(method: call.method, error))
        guard configuration.inbound.revealsHandlerErrors else { return ErrorObject(.internalError) }
        return ErrorObject(code: .internalError, message: String(describing: error))
    }

    // MARK: Answers

    func replyUnreadable(_ code: ErrorObject.Code) {
        reply(error: ErrorObject(code), to: nil, nil)
        state.withLock { $0.machine.oneWayMessageSent() }
    }

    private func reply(error: ErrorObject, to echo: EchoedID?, _ place: AnswerPlace?) {
        var bytes: [UInt8] = []
        writer.appendErrorResponse(id: echo, error: error, to: &bytes)
        reply(bytes, place, ended: nil)
    }

    /// Sends an answer, or stores it in its array. `key` is the call that it ends.
    private func reply(_ bytes: [UInt8], _ place: AnswerPlace?, ended key: CallKey?) {
        let whole = place.map { $0.batch.answer($0.index, bytes) } ?? bytes
        perform { machine, outbox in machine.answer(whole, ends: key, &outbox) }
    }

    // MARK: Notifications and notices

    private func deliver(_ arrived: CallReading, _ message: ArrivedMessage) {
        if arrived.method == inboundNoticeMethod, cancelServing(arrived, message) { return }
        let queue = endpoint.handlerQueue(arrived.method)
        if queue == nil, !arrived.hasExtraMembers {
            // The most frequent kind. Only its params are kept.
            let notification = InboundNotification(
                method: arrived.method, params: arrived.params.map { message.detached($0) })
            endpoint.deliver(notification, to: nil, &pendingWakeups)
        } else {
            let call = InboundCall(arrived, message, self)
            let notification = InboundNotification(
                method: call.method, params: call.paramsToKeep, extraMembers: call.extraMembers)
            endpoint.deliver(notification, to: queue.map { ($0, call) }, &pendingWakeups)
        }
        if pendingWakeups.isDue() || !self.arrived.isGathering { pendingWakeups.perform() }
    }

    /// Cancels the call of the peer that a notice names. Returns `false` if the notice has no usable id.
    private func cancelServing(_ notice: CallReading, _ message: ArrivedMessage) -> Bool {
        guard let param = configuration.calls.cancellationNotice.inbound?.param, let params = notice.params,
            let id = RequestID(param: param, of: message.json(params))
        else { return false }
        let task = state.withLock { $0.machine.served.cancel(id) }
        task?.cancel()
        return true
    }
}

// MARK: - Synchronous handlers

extension SessionDriver {
    /// Answers calls with synchronous handlers until none is left. One such task runs at a time.
    func serveQueue() async {
        var calls: [QueuedServing] = []
        var buffer = ResponseBuffer()
        while state.withLock({ $0.machine.served.takeQueue(&calls) }) {
            // Each call is released with its answer, because it is not counted any more afterwards.
            calls.reverse()
            while let queued = calls.popLast() {
                if interceptsNothingInbound {
                    answer(queued, &buffer) { call, bytes in
                        try checkRoom(queued.place, call)
                        try queued.handler.write(call, &bytes)
                    }
                    guard buffer.isFull else { continue }
                } else {
                    // An interceptor may suspend, so finished answers are sent first.
                    await answerIntercepted(queued, &buffer)
                }
                send(&buffer)
                if isReadingPaused.load(ordering: .relaxed) { await untilAnswersAreRead() }
                await Task.yield()
            }
            send(&buffer)
            if isReadingPaused.load(ordering: .relaxed) { await untilAnswersAreRead() }
        }
    }

    /// Answers a call through the inbound interceptors. The next call waits for its end, which keeps the order.
    private func answerIntercepted(_ queued: QueuedServing, _ buffer: inout ResponseBuffer) async {
        let result: Result<RawJSON, any Error>
        do {
            try checkRoom(queued.place, queued.call)
            result = .success(
                try await intercepted(queued.call) { call in
                    var bytes: [UInt8] = []
                    try queued.handler.write(call, &bytes)
                    return RawJSON(unchecked: bytes)
                })
        } catch {
            result = .failure(error)
        }
        answer(queued, &buffer) { _, bytes in bytes.append(contentsOf: try result.get().bytes) }
    }

    private func answer(
        _ queued: QueuedServing, _ buffer: inout ResponseBuffer, _ write: (InboundCall, inout [UInt8]) throws -> Void
    ) {
        buffer.append(queued.key, to: queued.place) { bytes in
            let start = bytes.count
            do {
                begin(queued.echo, &bytes)
                try write(queued.call, &bytes)
                writer.endResponse(&bytes)
            } catch {
                bytes.removeSubrange(start...)
                let object = errorObject(for: error, queued.call)
                writer.appendErrorResponse(id: queued.echo, error: object, to: &bytes)
            }
        }
    }

    /// Puts the answers into the outbox under one lock.
    private func send(_ buffer: inout ResponseBuffer) {
        guard !buffer.answers.isEmpty else { return }
        buffer.bytes.withUnsafeBytes { bytes in
            perform { machine, outbox in
                var actions = Machine.Actions()
                for answer in buffer.answers {
                    let range = answer.range
                    if let array = answer.array {
                        machine.send(answer: array[...], &actions, &outbox)
                    } else if buffer.isLong(range) {
                        machine.send(answer: buffer.bytes[range], &actions, &outbox)
                    } else if !range.isEmpty {
                        machine.send(
                            answer: UnsafeRawBufferPointer(rebasing: bytes[range]), &actions, &outbox)
                    }
                }
                machine.answered(buffer.answers.lazy.map(\.key), &actions, &outbox)
                return actions
            }
        }
        buffer.removeAll()
    }
}

// MARK: - The pause of reading

extension SessionDriver {
    /// Stops reading. It is called after the lock under which the pause began was released.
    func pauseReading() {
        let now = clock.now
        state.withLock { $0.machine.pauseBegan(now: now) }
        endpoint.notifications.holdReading(self)
    }

    /// Resumes reading after the outbox has drained.
    func resumeReading() {
        let resumes = state.withLock { state in
            isReadingPaused.store(false, ordering: .relaxed)
            return state.machine.readingResumed()
        }
        guard resumes else { return }
        endpoint.notifications.releaseReading(self)
        resumeServing()
    }

    /// Waits while the peer does not read its answers. One read may contain many calls, and each answer can be long, so
    /// their handlers begin only when there is room for the answers.
    func untilAnswersAreRead() async {
        var hasWaited = false
        while isReadingPaused.load(ordering: .relaxed) {
            let isOver = await withUnsafeContinuation { (waiter: UnsafeContinuation<Bool, Never>) in
                let isOver = state.withLock { state in
                    guard state.machine.readingPause != nil, state.outbox.transport != nil else { return true }
                    // A handler that was woken too early keeps its place.
                    if hasWaited {
                        state.machine.served.heldHandlers.prepend(waiter)
                    } else {
                        state.machine.served.heldHandlers.append(waiter)
                    }
                    return false
                }
                if isOver { waiter.resume(returning: true) }
            }
            if isOver { break }
            hasWaited = true
        }
        if hasWaited { resumeServing() }
    }

    /// Wakes the first waiting handler, which wakes the next one. If all woke at once, most would have to wait again.
    func resumeServing() {
        let waiter = state.withLock { $0.machine.served.heldHandlers.popFirst() }
        waiter?.resume(returning: false)
    }

    /// Handles a read of a transport that resumes reading by itself.
    func readDuringPause() {
        let now = clock.now
        switch state.withLock({ $0.machine.readDuringPause(now: now, &$0.outbox) }) {
        case .doNothing: break
        case .pauseAgain: endpoint.notifications.renewReadingHold()
        case .disconnect:
            let failure = ClientError(
                .protocolViolation,
                "The peer makes calls and does not read the answers. A peer must read while it sends.",
                delivery: .outcomeUnknown)
            shut(CloseRequest(code: 1008, reason: "Answers are not read.", deadline: .zero), violation: failure)
        }
    }
}

extension RequestID {
    fileprivate init?(param: String, of params: RawJSON) {
        // The params are valid JSON. Params without a usable id are ignored.
        guard let value = (try? params.members())??.last(where: { $0.name == param })?.value,
            let id = try? value.decode(as: RequestID.self)
        else { return nil }
        self = id
    }
}
