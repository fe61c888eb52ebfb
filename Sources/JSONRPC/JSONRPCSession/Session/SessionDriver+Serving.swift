// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    /// The destination of an answer: a message of its own, or a place in the array that answers an array.
    typealias AnswerPlace = (batch: InboundBatch, index: Int)

    // MARK: Requests and notifications

    /// Serves a request or a notification.
    func serve(_ reading: CallReading, _ message: KeptMessage, batch place: AnswerPlace?) {
        var reported = reading.reported
        if let id = reading.id, state.withLock({ $0.inbound.contains(id) }),
            configuration.strictness[.duplicateRequestID] >= .report
        {
            reported.insert(.duplicateRequestID)
        }
        if !reported.isEmpty { report(reported, message, id: reading.id) }
        switch reading.disposition {
        case .reject(_, let answerTo):
            if let answerTo { reply(error: ErrorObject(.invalidRequest), to: .json(answerTo), place) }
        case .serve:
            let call = InboundCall(
                method: reading.method, params: reading.params, id: reading.id,
                isNotification: reading.echo == nil, kept: message.detached(), driver: self)
            if let echo = reading.echo { serve(call, .json(echo), place) } else { deliver(call) }
        }
        if reading.closesConnection { violate(reading.reported.elements.first) }
    }

    /// Serves the members of an array that is not too long. `unreadable` members are answered with an error each.
    func serve(_ calls: [(CallReading, KeptMessage)], unreadable: Int) {
        let requests = calls.count { $0.0.isAnswered } + unreadable
        guard requests > 0 else {
            for (reading, message) in calls { serve(reading, message, batch: nil) }
            return
        }
        let batch = InboundBatch(requests: requests, held: heldAnswers)
        var index = 0
        for (reading, message) in calls {
            serve(reading, message, batch: reading.isAnswered ? (batch, index) : nil)
            if reading.isAnswered { index += 1 }
        }
        for _ in 0..<unreadable {
            reply(error: ErrorObject(.invalidRequest), to: nil, (batch, index))
            index += 1
        }
    }

    /// Answers an array that is too long, as a whole.
    func refuseArray() {
        reply(error: ErrorObject(code: .invalidRequest, message: "Too many members."), to: nil, nil)
    }

    /// Serves a regular request, the most frequent kind, without the reader's checks. Returns `false` for other
    /// messages.
    func servePlain(_ envelope: MessageEnvelope, _ message: ArrivedMessage) -> Bool {
        guard case .number(let number) = envelope.id, case .string(let name, isEscaped: false) = envelope.method,
            envelope.version == .two, envelope.result == nil, envelope.error == nil, envelope.isObject,
            !envelope.hasExtraMembers, !envelope.hasDuplicateMembers, !envelope.hasDuplicateID,
            let method = try? StringContent.string(in: message.bytes, range: name, isEscaped: false)
        else { return false }
        if let params = envelope.params {
            guard let first = message.bytes[params].first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
            else { return false }
        }
        let call = InboundCall(
            method: method, params: envelope.params, id: .number(number), isNotification: false,
            kept: KeptMessage(message, envelope), driver: self)
        serve(call, .number(number), nil, reportsDuplicate: configuration.strictness[.duplicateRequestID] >= .report)
        return true
    }

    private func serve(
        _ call: InboundCall, _ echo: EchoedID, _ place: AnswerPlace?, reportsDuplicate: Bool = false
    ) {
        guard let handler = endpoint.handlers.requestHandler(call.method) else {
            if reportsDuplicate { reportIfDuplicate(call) }
            endpoint.events.publish(.unhandledRequest(method: call.method))
            return reply(error: ErrorObject(.methodNotFound), to: echo, place)
        }
        let admission = admit(call, echo, place, handler, looksForDuplicate: reportsDuplicate)
        if admission.isDuplicate { report([.duplicateRequestID], call.kept, id: call.id) }
        guard let key = admission.key else {
            endpoint.events.publish(.inboundCallRefused(method: call.method))
            let busy = ErrorObject(code: SessionConfiguration.serverBusy, message: "Too many calls are being served.")
            return reply(error: busy, to: echo, place)
        }
        switch handler {
        case .synchronous:
            if admission.startsServing { Task { await self.serveBursts() } }
        case .asynchronous(let handler):
            let task = Task { await self.answer(call, echo, place, key, handler) }
            let isWanted = state.withLock { $0.inbound.setTask(task, for: key) }
            if !isWanted { task.cancel() }
        }
    }

    private func reportIfDuplicate(_ call: InboundCall) {
        guard let id = call.id, state.withLock({ $0.inbound.contains(id) }) else { return }
        report([.duplicateRequestID], call.kept, id: id)
    }

    /// The result of admitting a call.
    private struct Admission {
        /// `nil` if too many calls are in progress.
        var key: CallKey?
        var isDuplicate = false
        /// Whether a serving task must be started.
        var startsServing = false
    }

    /// Admits a call. A call of a synchronous handler joins the burst.
    private func admit(
        _ call: InboundCall, _ echo: EchoedID, _ place: AnswerPlace?, _ handler: RequestHandler,
        looksForDuplicate: Bool
    ) -> Admission {
        let (calls, bytes) = (configuration.maximumInboundCalls, configuration.maximumInboundBytes)
        let size = call.heldBytes + echo.heldBytes
        let hasRoom = place.map(\.batch.hasRoom) ?? true
        return state.withLock { state in
            var admission = Admission()
            if looksForDuplicate, let id = call.id { admission.isDuplicate = state.inbound.contains(id) }
            guard hasRoom, state.inbound.count < calls, state.inbound.bytes < bytes else { return admission }
            state.machine.servingBegan()
            let key = state.inbound.insert(call.id, bytes: size)
            admission.key = key
            if case .synchronous(let handler) = handler {
                state.burst.append(QueuedServing(call: call, echo: echo, place: place, key: key, handler: handler))
                admission.startsServing = !state.isServingBursts
                state.isServingBursts = true
            }
            return admission
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
            writer.appendErrorResponse(id: echo.json, error: errorObject(for: error, call), to: &bytes)
        }
        reply(bytes, place, ended: key)
    }

    /// Refuses a member of an array whose answer would have to wait for others, and finds no room.
    func checkRoom(_ place: AnswerPlace?, _ call: InboundCall) throws(ErrorObject) {
        guard let place, !place.batch.hasRoom else { return }
        endpoint.events.publish(.inboundCallRefused(method: call.method))
        throw ErrorObject(
            code: SessionConfiguration.serverBusy, message: "The answers to arrays take too much memory.")
    }

    /// Passes a call through the inbound interceptors to its handler.
    func intercepted(
        _ call: InboundCall, _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON
    ) async throws -> RawJSON {
        let interceptors = configuration.inboundInterceptors
        guard !interceptors.isEmpty else { return try await handler(call) }
        return try await NextInboundInterceptor(handler).behind(interceptors)(call)
    }

    func begin(_ echo: EchoedID, _ bytes: inout [UInt8]) {
        switch echo {
        case .number(let number): writer.beginResponse(id: number, &bytes)
        case .json(let json): writer.beginResponse(id: json, &bytes)
        }
    }

    /// Returns the error object for an error that a handler threw.
    func errorObject(for error: any Error, _ call: InboundCall) -> ErrorObject {
        if let object = error as? ErrorObject { return object }
        endpoint.events.publish(.handlerFailed(method: call.method, error))
        guard configuration.revealsHandlerErrors else { return ErrorObject(.internalError) }
        return ErrorObject(code: .internalError, message: String(describing: error))
    }

    // MARK: Answers

    /// Answers a message that could not be read.
    func replyUnreadable(_ code: ErrorCode) {
        reply(error: ErrorObject(code), to: nil, nil)
        state.withLock { $0.machine.oneWayMessageSent() }
    }

    private func reply(error: ErrorObject, to echo: EchoedID?, _ place: AnswerPlace?) {
        var bytes: [UInt8] = []
        writer.appendErrorResponse(id: echo?.json, error: error, to: &bytes)
        reply(bytes, place, ended: nil)
    }

    /// Sends an answer, or stores it in its array. `key` is the call that it ends.
    private func reply(_ bytes: [UInt8], _ place: AnswerPlace?, ended key: CallKey?) {
        let whole = place.map { $0.batch.answer($0.index, bytes) } ?? bytes
        let effects = state.withLock { state in
            var effects = Effects()
            if let whole { putAnswer(whole[...], &state, &effects) }
            if let key {
                state.inbound.remove(key)
                state.machine.servingEnded()
                if state.machine.mayGoOn { add(state.machine.roomAppeared(in: &state.outbox), &state, to: &effects) }
            }
            return effects
        }
        run(effects)
    }

    // MARK: Notifications and notices

    /// Delivers a regular notification that has no handler, the most frequent kind, without the reader's checks.
    /// Returns `false` for other messages.
    func deliverPlain(_ envelope: MessageEnvelope, _ message: ArrivedMessage) -> Bool {
        guard case .absent = envelope.id, case .string(let name, isEscaped: false) = envelope.method,
            envelope.version == .two, envelope.result == nil, envelope.error == nil, envelope.isObject,
            !envelope.hasExtraMembers, !envelope.hasDuplicateMembers,
            let method = try? StringContent.string(in: message.bytes, range: name, isEscaped: false),
            method != inboundNoticeMethod, !endpoint.handlers.handlesNotifications(method)
        else { return false }
        var params: RawJSON?
        if let range = envelope.params {
            guard let first = message.bytes[range].first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
            else { return false }
            params = message.detached(range)
        }
        endpoint.deliver(InboundNotification(method: method, params: params), to: nil, &pendingWakeups)
        if pendingWakeups.isDue() || !arrived.isGathering { pendingWakeups.perform() }
        return true
    }

    private func deliver(_ call: InboundCall) {
        if let (method, param) = configuration.cancellationNotice.inbound, method == call.method {
            return cancelServing(call, param)
        }
        endpoint.deliver(call)
    }

    /// Cancels a call of the peer.
    private func cancelServing(_ notice: InboundCall, _ param: String) {
        guard let id = notice.params.flatMap({ RequestID(param: param, of: $0) }) else {
            return endpoint.deliver(notice)
        }
        let task = state.withLock { $0.inbound.cancel(id) }
        task?.cancel()
    }
}

/// The id of a request, for its answer.
enum EchoedID: Sendable {
    case number(Int64)
    /// The bytes of the id, which the answer repeats unchanged.
    case json(RawJSON)

    var json: RawJSON {
        switch self {
        case .number(let number):
            var digits: [UInt8] = []
            JSONText.writeInteger(number, into: &digits)
            return RawJSON(unchecked: digits)
        case .json(let json): return json
        }
    }

    /// The bytes that count against a limit.
    var heldBytes: Int {
        switch self {
        case .number: 0
        case .json(let json): json.bytes.count
        }
    }
}

extension CallReading {
    /// Whether the request gets an answer.
    var isAnswered: Bool {
        switch disposition {
        case .serve: echo != nil
        case .reject(_, let answerTo): answerTo != nil
        }
    }
}

extension RequestID {
    /// Returns the id in the params of a notice.
    fileprivate init?(param: String, of params: RawJSON) {
        // The params are valid JSON. Params without a usable id are ignored.
        guard let value = (try? params.members())??.last(where: { $0.name == param })?.value,
            let id = try? value.decode(as: RequestID.self)
        else { return nil }
        self = id
    }
}
