// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCSession

/// The messages that one end has accepted and not yet sent.
struct InMemoryOutbox: Sendable {
    struct Message: Sendable {
        /// The message is their concatenation.
        var pieces: [ArraySlice<UInt8>]
        var isBinary = false
        /// Whether the receiver gets it as if it had arrived in several frames.
        var isAssembled = false

        /// The bytes of the message plus 8, so that empty messages have tickets of their own, too.
        var size: Int { pieces.reduce(8) { $0 + $1.count } }
    }

    private var messages: [OutboxTicket: Message] = [:]
    /// The tickets in order. The first belongs to a queued message; others may belong to messages that were withdrawn.
    private var order: Deque<OutboxTicket> = []
    private var acceptedBytes: UInt64 = 0
    private(set) var queuedBytes = 0

    mutating func append(_ message: Message) -> OutboxTicket {
        let ticket = OutboxTicket(position: acceptedBytes)
        messages[ticket] = message
        order.append(ticket)
        acceptedBytes += UInt64(message.size)
        queuedBytes += message.size
        return ticket
    }

    /// Removes and returns a message; `nil` if it was sent or withdrawn before.
    mutating func remove(_ ticket: OutboxTicket) -> Message? {
        guard let message = messages.removeValue(forKey: ticket) else { return nil }
        queuedBytes -= message.size
        while let first = order.first, messages[first] == nil { order.removeFirst() }
        return message
    }

    mutating func popFirst() -> Message? { order.first.flatMap { remove($0) } }

    /// The ticket of the first message that was not sent.
    var unsentFrom: OutboxTicket { order.first ?? OutboxTicket(position: acceptedBytes) }

    mutating func removeAll() {
        messages = [:]
        order = []
        queuedBytes = 0
    }
}
