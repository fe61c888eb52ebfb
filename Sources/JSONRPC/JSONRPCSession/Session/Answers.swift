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

    /// Whether an answer is shared with the transport, and not copied under the session's lock.
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
        // An `Array` of the whole buffer would share it. A short answer would then keep the capacity of a long one.
        let array = add(unsafe bytes[start...].withUnsafeBytes { unsafe [UInt8]($0) })
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
