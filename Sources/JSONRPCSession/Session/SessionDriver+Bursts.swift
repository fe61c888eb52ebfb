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

/// Answers that go out together: their bytes one behind the other.
private struct AnswerSheaf {
    private(set) var bytes: [UInt8] = []
    /// The calls that end, and where their answers lie. Empty for one that waits in its array for others.
    private(set) var answers: [(key: CallKey, range: Range<Int>)] = []

    /// True when it is time to send: nobody should wait long for those behind.
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
    /// Answers calls by synchronous handlers until none is left. There is one such task at a time.
    func serveBursts() async {
        var calls: [QueuedServing] = []
        var sheaf = AnswerSheaf()
        while takeBurst(&calls) {
            for queued in calls {
                if interceptsNothingInbound {
                    answer(queued, queued.handler.write, &sheaf)
                    guard sheaf.isFull else { continue }
                } else {
                    // An interceptor may wait: no answer waits with it.
                    await answerIntercepted(queued, &sheaf)
                }
                send(&sheaf)
                await Task.yield()
            }
            send(&sheaf)
            calls.removeAll(keepingCapacity: true)
        }
    }

    /// Takes all calls that wait. False when there are none: then the serving task is over.
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

    /// Answers a call through the inbound interceptors. The next call waits until it has ended: so the order is kept.
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

    /// Puts the answers into the outbox, in one critical section.
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
