// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    /// Where an answer goes: out by itself, or into the array that answers an array.
    typealias AnswerPlace = (batch: InboundBatch, index: Int)

    // MARK: What comes

    /// Serves a request or notification.
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
            if let answerTo { reply(error: ErrorObject(.invalidRequest), to: answerTo, place) }
        case .serve:
            let call = InboundCall(
                method: reading.method, params: reading.params.map(message.json), id: reading.id,
                isNotification: reading.echo == nil, message: message.json, session: DuplexSession(self))
            if let echo = reading.echo { serve(call, echo, place) } else { deliver(call) }
        }
        if reading.closesConnection { violate(reading.reported.elements.first) }
    }

    /// Serves the members of an array. `unreadable` members are answered with an error each.
    func serve(_ calls: [(CallReading, KeptMessage)], unreadable: Int) {
        let requests = calls.count { $0.0.isAnswered } + unreadable
        guard requests > 0 else {
            for (reading, message) in calls { serve(reading, message, batch: nil) }
            return
        }
        guard calls.count + unreadable <= configuration.maximumInboundBatch else {
            return reply(error: ErrorObject(code: .invalidRequest, message: "Too many members."), to: nil, nil)
        }
        let batch = InboundBatch(requests: requests)
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

    private func serve(_ call: InboundCall, _ echo: RawJSON, _ place: AnswerPlace?) {
        guard let handler = parts.handlers.requestHandler(call.method) else {
            return reply(error: ErrorObject(.methodNotFound), to: echo, place)
        }
        let limit = configuration.maximumInboundCalls
        let (key, pauses) = state.withLock { state -> (UInt64?, Bool) in
            let pauses = pausesReading(&state)
            guard state.inbound.count < limit else { return (nil, pauses) }
            state.machine.servingBegan()
            return (state.inbound.insert(call.id), pauses)
        }
        if pauses { parts.notifications.gate.hold(self) }
        guard let key else {
            parts.events.publish(.inboundCallRefused(method: call.method))
            let busy = ErrorObject(code: SessionConfiguration.serverBusy, message: "Too many calls are being served.")
            return reply(error: busy, to: echo, place)
        }
        let task = Task { await self.answer(call, echo, place, key, handler) }
        let isWanted = state.withLock { $0.inbound.setTask(task, for: key) }
        if !isWanted { task.cancel() }
    }

    private func answer(
        _ call: InboundCall, _ echo: RawJSON, _ place: AnswerPlace?, _ key: UInt64, _ handler: RequestHandler
    ) async {
        var bytes: [UInt8] = []
        do {
            writer.appendResponse(id: echo, result: try await handler(call), to: &bytes)
        } catch {
            writer.appendErrorResponse(id: echo, error: errorObject(for: error, call), to: &bytes)
        }
        reply(bytes, place, ended: key)
    }

    /// What the peer gets for an error that a handler threw.
    private func errorObject(for error: any Error, _ call: InboundCall) -> ErrorObject {
        if let object = error as? ErrorObject { return object }
        parts.events.publish(.handlerFailed(method: call.method, error))
        guard configuration.revealsHandlerErrors else { return ErrorObject(.internalError) }
        return ErrorObject(code: .internalError, message: String(describing: error))
    }

    // MARK: Answers

    /// Answers what could not be read.
    func replyUnreadable(_ code: ErrorCode) { reply(error: ErrorObject(code), to: nil, nil) }

    private func reply(error: ErrorObject, to echo: RawJSON?, _ place: AnswerPlace?) {
        var bytes: [UInt8] = []
        writer.appendErrorResponse(id: echo, error: error, to: &bytes)
        reply(bytes, place, ended: nil)
    }

    /// Sends an answer, or puts it in its place in an array. `key` is the call that ends with it.
    private func reply(_ bytes: [UInt8], _ place: AnswerPlace?, ended key: UInt64?) {
        let whole = place.map { $0.batch.answer($0.index, bytes) } ?? bytes
        let effects = state.withLock { state in
            var effects = Effects()
            if let whole, let transport = state.transport, put(whole, transport, &state) { effects.wakes = transport }
            if let key {
                state.inbound.remove(key)
                state.machine.servingEnded()
                if state.machine.drained() { closeTransport(&state, &effects) }
            }
            return effects
        }
        run(effects)
    }

    // MARK: Notifications and notices

    private func deliver(_ call: InboundCall) {
        if let (method, param) = configuration.cancellationNotice.inbound, method == call.method {
            return cancelServing(call, param)
        }
        parts.deliver(call)
    }

    /// The peer gives up a call of its own.
    private func cancelServing(_ notice: InboundCall, _ param: String) {
        guard let id = notice.params.flatMap({ RequestID(param: param, of: $0) }) else { return parts.deliver(notice) }
        let task = state.withLock { $0.inbound.cancel(id) }
        task?.cancel()
    }

    // MARK: A peer that sends and does not read

    /// Answers pile up when the peer does not take them: then nothing more is read until it does. True when reading
    /// is to stop; called under the lock.
    private func pausesReading(_ state: inout State) -> Bool {
        guard let transport = state.transport, !state.isReadingPaused, state.outbox.isFull(transport) else {
            return false
        }
        state.isReadingPaused = true
        return true
    }

    /// The outbox has drained.
    func resumeReading() {
        let resumes = state.withLock { state in
            defer { state.isReadingPaused = false }
            return state.isReadingPaused
        }
        if resumes { parts.notifications.gate.release(self) }
    }
}

extension CallReading {
    /// True when an answer goes out.
    fileprivate var isAnswered: Bool {
        switch disposition {
        case .serve: echo != nil
        case .reject(_, let answerTo): answerTo != nil
        }
    }
}

extension RequestID {
    /// The id in a notice's params.
    fileprivate init?(param: String, of params: RawJSON) {
        // Params were found valid before; those without a usable id mean nothing here.
        guard let value = (try? params.members())??.last(where: { $0.name == param })?.value,
            let id = try? value.decode(as: RequestID.self)
        else { return nil }
        self = id
    }
}
