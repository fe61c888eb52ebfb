// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
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
struct ResponseBuffer {
    private(set) var bytes: [UInt8] = []
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

    /// Whether an answer is shared with the transport, and not copied under the session's lock.
    func isLong(_ range: Range<Int>) -> Bool { range.count > SessionOutbox.sharingThreshold }

    /// Adds an answer. The answer to a member of an array is stored with the others of its array.
    mutating func append(_ key: CallKey, to place: SessionDriver.AnswerPlace?, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        guard let place else {
            answers.append(Answer(key: key, range: start..<bytes.count))
            return
        }
        // An `Array` of the whole buffer would share it. A short answer would then keep the capacity of a long one.
        let array = place.batch.answer(
            place.index, unsafe bytes[start...].withUnsafeBytes { unsafe [UInt8]($0) })
        bytes.removeSubrange(start...)
        answers.append(Answer(key: key, range: start..<start, array: array))
        if array != nil { holdsArray = true }
    }

    mutating func removeAll() {
        // A buffer that grew for a large answer is not kept, nor is a buffer that the transport shares.
        bytes.removeAll(
            keepingCapacity: bytes.capacity <= 256 << 10 && !answers.contains { isLong($0.range) })
        answers.removeAll(keepingCapacity: true)
        holdsArray = false
    }
}
