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
private struct AnswerSheaf {
    private(set) var bytes: [UInt8] = []
    /// The calls that end, and the ranges of their answers. The range is empty for an answer that waits for the others
    /// of its array.
    private(set) var answers: [(key: CallKey, range: Range<Int>)] = []

    /// Whether the answers should be sent now, so that none waits long for later ones.
    var isFull: Bool { answers.count >= 64 || bytes.count >= 64 << 10 }

    /// True for an answer that is not copied under the session's lock: the transport then shares ``bytes``.
    func isLong(_ range: Range<Int>) -> Bool { range.count > SessionDriver.sharingThreshold }

    mutating func append(_ key: CallKey, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        answers.append((key, start..<bytes.count))
    }

    mutating func removeAll() {
        // A buffer that one large answer made is not kept, nor is a buffer that the transport shares.
        bytes.removeAll(
            keepingCapacity: bytes.count <= SessionDriver.sharingThreshold || !answers.contains { isLong($0.range) })
        answers.removeAll(keepingCapacity: true)
    }
}

extension SessionDriver {
    /// Answers calls with synchronous handlers until none is left. One such task runs at a time.
    func serveBursts() async {
        var calls: [QueuedServing] = []
        var sheaf = AnswerSheaf()
        while takeBurst(&calls) {
            for queued in calls {
                if interceptsNothingInbound {
                    answer(queued, queued.handler.write, &sheaf)
                    guard sheaf.isFull else { continue }
                } else {
                    // An interceptor may suspend, so finished answers are sent before.
                    await answerIntercepted(queued, &sheaf)
                }
                send(&sheaf)
                await Task.yield()
            }
            send(&sheaf)
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
    private func answerIntercepted(_ queued: QueuedServing, _ sheaf: inout AnswerSheaf) async {
        let result: Result<RawJSON, any Error>
        do {
            result = .success(
                try await intercepted(queued.call) { call in
                    var bytes: [UInt8] = []
                    try queued.handler.write(call, &bytes)
                    return RawJSON(unchecked: bytes)
                })
        } catch {
            result = .failure(error)
        }
        answer(queued, { _, bytes in bytes.append(contentsOf: try result.get().bytes) }, &sheaf)
    }

    private func answer(
        _ queued: QueuedServing, _ write: (InboundCall, inout [UInt8]) throws -> Void, _ sheaf: inout AnswerSheaf
    ) {
        sheaf.append(queued.key) { bytes in
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
            guard let place = queued.place else { return }
            let whole = place.batch.answer(place.index, Array(bytes[start...]))
            bytes.removeSubrange(start...)
            if let whole { bytes.append(contentsOf: whole) }
        }
    }

    /// Puts the answers into the outbox under one lock.
    private func send(_ sheaf: inout AnswerSheaf) {
        guard !sheaf.answers.isEmpty else { return }
        let effects = sheaf.bytes.withUnsafeBytes { bytes in
            state.withLock { state in
                var effects = Effects()
                for (key, range) in sheaf.answers {
                    if !range.isEmpty {
                        if sheaf.isLong(range) {
                            putAnswer(sheaf.bytes[range], &state, &effects)
                        } else {
                            putAnswer(UnsafeRawBufferPointer(rebasing: bytes[range]), &state, &effects)
                        }
                    }
                    state.inbound.remove(key)
                    state.machine.servingEnded()
                }
                if state.machine.drained() { closeTransport(&state, &effects) }
                return effects
            }
        }
        sheaf.removeAll()
        run(effects)
    }
}
