// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// A call that waits for the serving task.
struct QueuedServing: Sendable {
    var call: InboundCall
    var echo: EchoedID
    var place: SessionDriver.AnswerPlace?
    var key: CallKey
    var handler: SynchronousHandler
}

/// Answers that are sent together, with their bytes in one buffer.
private struct ResponseBuffer {
    private(set) var bytes: [UInt8] = []
    /// A call that ends.
    struct Answer {
        var key: CallKey
        /// The range of its answer in ``ResponseBuffer/bytes``.
        var range: Range<Int>
        /// The answer to the whole array that the call came in, if this call was the last of it.
        var array: [UInt8]?
    }

    private(set) var answers: [Answer] = []
    private var holdsArray = false

    /// Whether the answers should be sent now, so that none waits long for later ones.
    var isFull: Bool { answers.count >= 64 || bytes.count >= 64 << 10 || holdsArray }

    /// True for an answer that is not copied under the session's lock: the transport then shares ``bytes``.
    func isLong(_ range: Range<Int>) -> Bool { range.count > SessionOutbox.sharingThreshold }

    mutating func append(_ key: CallKey, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        answers.append(Answer(key: key, range: start..<bytes.count))
    }

    /// Adds the answer to a member of an array.
    ///
    /// - Parameter add: Adds the answer to the others of its array, and returns all if it is the last.
    mutating func append(_ key: CallKey, _ write: (inout [UInt8]) -> Void, to add: ([UInt8]) -> [UInt8]?) {
        let start = bytes.count
        write(&bytes)
        let array = add(Array(bytes[start...]))
        bytes.removeSubrange(start...)
        answers.append(Answer(key: key, range: start..<start, array: array))
        if array != nil { holdsArray = true }
    }

    mutating func removeAll() {
        // A buffer that one large answer made is not kept, nor is a buffer that the transport shares.
        bytes.removeAll(
            keepingCapacity: bytes.capacity <= 256 << 10 && !answers.contains { isLong($0.range) })
        answers.removeAll(keepingCapacity: true)
        holdsArray = false
    }
}

extension SessionDriver {
    /// Answers calls with synchronous handlers until none is left. One such task runs at a time.
    func serveBursts() async {
        var calls: [QueuedServing] = []
        var buffer = ResponseBuffer()
        while takeBurst(&calls) {
            for queued in calls {
                if interceptsNothingInbound {
                    answer(queued, &buffer) { call, bytes in
                        try checkRoom(queued.place, call)
                        try queued.handler.write(call, &bytes)
                    }
                    guard buffer.isFull else { continue }
                } else {
                    // An interceptor may suspend, so finished answers are sent before.
                    await answerIntercepted(queued, &buffer)
                }
                send(&buffer)
                if isReadingPaused.load(ordering: .relaxed) { await untilAnswersAreRead() }
                await Task.yield()
            }
            send(&buffer)
            if isReadingPaused.load(ordering: .relaxed) { await untilAnswersAreRead() }
            calls.removeAll(keepingCapacity: true)
        }
    }

    /// Takes all waiting calls. Returns `false` if there are none; then the serving task ends.
    private func takeBurst(_ calls: inout [QueuedServing]) -> Bool {
        state.withLock { state in
            guard !state.burst.isEmpty else {
                state.isServingBursts = false
                return false
            }
            swap(&state.burst, &calls)
            return true
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
        func compose(_ bytes: inout [UInt8]) {
            let start = bytes.count
            do {
                begin(queued.echo, &bytes)
                try write(queued.call, &bytes)
                writer.endResponse(&bytes)
            } catch {
                bytes.removeSubrange(start...)
                let object = errorObject(for: error, queued.call)
                writer.appendErrorResponse(id: queued.echo.json, error: object, to: &bytes)
            }
        }
        if let place = queued.place {
            buffer.append(queued.key, compose) { place.batch.answer(place.index, $0) }
        } else {
            buffer.append(queued.key, compose)
        }
    }

    /// Puts the answers into the outbox under one lock.
    private func send(_ buffer: inout ResponseBuffer) {
        guard !buffer.answers.isEmpty else { return }
        let effects = buffer.bytes.withUnsafeBytes { bytes in
            state.withLock { state in
                var effects = Effects()
                for answer in buffer.answers {
                    let range = answer.range
                    if let array = answer.array {
                        putAnswer(array[...], &state, &effects)
                    } else if buffer.isLong(range) {
                        putAnswer(buffer.bytes[range], &state, &effects)
                    } else if !range.isEmpty {
                        putAnswer(UnsafeRawBufferPointer(rebasing: bytes[range]), &state, &effects)
                    }
                    state.inbound.remove(answer.key)
                    state.machine.servingEnded()
                }
                if state.machine.mayGoOn { add(state.machine.roomAppeared(in: &state.outbox), &state, to: &effects) }
                return effects
            }
        }
        buffer.removeAll()
        run(effects)
    }
}
