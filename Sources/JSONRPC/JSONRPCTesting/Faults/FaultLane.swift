// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCSession

/// The messages of one direction that a ``FaultTransport`` has taken and not passed on.
struct FaultLane: Sendable {
    struct Message: Sendable {
        var bytes: [UInt8]
        var isBinary = false
        var isAssembled = false
        /// The message's place in the outbox of the transport; meaningless inbound.
        var ticket = OutboxTicket(position: 0)
        /// The number of times that the message is passed on; 0 if it is lost, which counts as sent.
        var copies = 1

        mutating func lose() { (bytes, copies) = ([], 0) }
    }

    enum Content: Sendable {
        case message(Message)
        /// The end of the connection, before or after a message.
        case end(InjectedFault, Message)
        /// The end that the session has asked for.
        case close(code: UInt16, reason: String, deadline: Duration)
        /// The end that the base transport has reported.
        case closed(TransportClosure)
    }

    private struct Item: Sendable {
        var content: Content
        /// A timer that the item waits for.
        var timer: Int?
    }

    /// A message that waits until others have passed.
    private struct Held: Sendable {
        var message: Message
        var passing: Int
        var timer: Int
    }

    /// The number of messages that were taken so far.
    var messageCount = 0
    var isStalled = false
    private(set) var byteCount = 0
    private var items: Deque<Item> = []
    private var held: [Held] = []

    var isEmpty: Bool { items.isEmpty && held.isEmpty }

    mutating func append(_ content: Content, timer: Int? = nil) {
        byteCount += Self.size(of: content)
        items.append(Item(content: content, timer: timer))
    }

    /// Keeps a message back until others have passed.
    mutating func hold(_ message: Message, behind passing: Int, timer: Int) {
        byteCount += message.bytes.count
        held.append(Held(message: message, passing: passing, timer: timer))
    }

    /// Releases the items that wait for a timer; without a timer, all items that wait.
    mutating func endTimers(_ timer: Int? = nil) {
        for index in items.indices where timer == nil || items[index].timer == timer { items[index].timer = nil }
        for index in held.indices where timer == nil || held[index].timer == timer { held[index].passing = 0 }
    }

    mutating func popFirst() -> Content? {
        let content: Content
        let endIsNext = endIsNext
        // No message follows the end, so the held messages pass now.
        if let index = held.firstIndex(where: { $0.passing <= 0 || endIsNext }) {
            content = .message(held.remove(at: index).message)
        } else if let first = items.first, first.timer == nil {
            items.removeFirst()
            content = first.content
            if case .message(let message) = content, message.copies > 0 {
                for index in held.indices { held[index].passing -= 1 }
            }
        } else {
            return nil
        }
        byteCount -= Self.size(of: content)
        return content
    }

    private var endIsNext: Bool {
        switch items.first?.content {
        case .close, .closed: true
        case .message, .end, nil: false
        }
    }

    /// Removes a message. Returns `false` if it has passed.
    mutating func withdraw(_ ticket: OutboxTicket) -> Bool {
        if let index = held.firstIndex(where: { $0.message.ticket == ticket }) {
            byteCount -= held.remove(at: index).message.bytes.count
            return true
        }
        let index = items.firstIndex { item in
            switch item.content {
            case .message(let message), .end(_, let message): message.ticket == ticket
            case .close, .closed: false
            }
        }
        guard let index else { return false }
        // A fault that ends the connection stays, as it does not concern the message alone.
        if case .end(let fault, var message) = items[index].content {
            message.copies = 0
            items[index].content = .end(fault, message)
            return true
        }
        byteCount -= Self.size(of: items.remove(at: index).content)
        return true
    }

    /// Removes all items except the end of the base transport, which is reported only once.
    mutating func removeMessages() {
        held = []
        byteCount = 0
        items.removeAll { item in
            if case .closed = item.content { false } else { true }
        }
    }

    private static func size(of content: Content) -> Int {
        switch content {
        case .message(let message): message.bytes.count
        case .end, .close, .closed: 0
        }
    }
}
