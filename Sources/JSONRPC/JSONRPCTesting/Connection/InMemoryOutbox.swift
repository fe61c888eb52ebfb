// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCSession

/// The messages that one end has accepted and not yet sent.
struct InMemoryOutbox: Sendable {
    struct Message: Sendable {
        var ticket: OutboxTicket
        /// The message is their concatenation.
        var pieces: [ArraySlice<UInt8>]
        var isBinary = false
        /// Whether the receiver gets it as if it had arrived in several frames.
        var isAssembled = false
        var isWithdrawn = false

        var size: Int { pieces.reduce(InMemoryOutbox.overheadBytes) { $0 + $1.count } }
    }

    /// The number of bytes that a message counts beside its own, so that empty messages have tickets of their own, too.
    static let overheadBytes = 8

    private var messages: Deque<Message> = []
    private var acceptedBytes: UInt64 = 0
    private(set) var queuedBytes = 0

    mutating func append(_ pieces: [ArraySlice<UInt8>], isBinary: Bool, isAssembled: Bool) -> OutboxTicket {
        let ticket = OutboxTicket(position: acceptedBytes)
        let message = Message(ticket: ticket, pieces: pieces, isBinary: isBinary, isAssembled: isAssembled)
        messages.append(message)
        acceptedBytes += UInt64(message.size)
        queuedBytes += message.size
        return ticket
    }

    /// Marks a message as withdrawn.
    ///
    /// - Returns: `false` if it was sent or withdrawn before.
    mutating func withdraw(_ ticket: OutboxTicket) -> Bool {
        guard let index = index(of: ticket), !messages[index].isWithdrawn else { return false }
        queuedBytes -= messages[index].size
        messages[index].isWithdrawn = true
        messages[index].pieces = []
        dropWithdrawn()
        return true
    }

    /// Removes and returns the oldest message that is not withdrawn.
    mutating func popFirst() -> Message? {
        guard let message = messages.popFirst() else { return nil }
        queuedBytes -= message.size
        dropWithdrawn()
        return message
    }

    /// The ticket of the first message that was not sent.
    var unsentFrom: OutboxTicket { messages.first?.ticket ?? OutboxTicket(position: acceptedBytes) }

    mutating func removeAll() {
        messages.removeAll()
        queuedBytes = 0
    }

    /// Maintains the invariant that the first message is not a withdrawn message.
    private mutating func dropWithdrawn() {
        while messages.first?.isWithdrawn == true { messages.removeFirst() }
    }

    /// Returns the place of a message, by binary search: tickets are in ascending order.
    private func index(of ticket: OutboxTicket) -> Int? {
        var low = 0
        var high = messages.count
        while low < high {
            let middle = (low + high) / 2
            if messages[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        return low < messages.count && messages[low].ticket == ticket ? low : nil
    }
}
