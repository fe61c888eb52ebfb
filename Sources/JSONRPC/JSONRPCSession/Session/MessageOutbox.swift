// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// A connection's outbox, as the events of a ``SessionStateMachine`` see it.
///
/// An outbox appends, never waits and never calls back. It is lent to an event, so the machine decides and acts in one step:
/// nothing asks it and then tells it what was done. Tests lend an array.
protocol MessageOutbox {
    /// Whether messages must wait for room.
    var isFull: Bool { mutating get }

    /// Returns the id of the next call.
    mutating func nextID() -> RequestID

    /// Appends a request. Returns `nil` if the connection is about to end; then nothing is appended.
    mutating func append(call tail: ArraySlice<UInt8>, id: RequestID) -> OutboxTicket?

    /// Appends a message that gets no response. Returns `nil` if the connection is about to end.
    mutating func append(oneWay message: [UInt8]) -> OutboxTicket?

    /// Appends an array, with an id for each of its calls. Returns `nil` if the connection is about to end.
    mutating func append(_ array: ArrayDraft, ids: [RequestID]) -> OutboxTicket?

    /// Removes a message that was appended. Returns `false` if it has left the outbox.
    mutating func withdraw(_ ticket: OutboxTicket) -> Bool

    /// Notes that a call's message was withdrawn.
    mutating func withdrew(_ id: RequestID)
}

/// What a program submits to a session.
enum Submission<Waiter: Sendable>: Sendable {
    /// The tail of a request, without its head and id. The id is already known if it comes from a custom generator.
    case call(tail: ArraySlice<UInt8>, id: RequestID?)
    /// A whole message that gets no response: a notification, or an array of notifications.
    case oneWay([UInt8])
    /// An array with the waiters of its calls. The ids are already known if they come from a custom generator; otherwise
    /// `ids` is empty.
    case array(ArrayDraft, waiters: [Waiter], ids: [RequestID])

    /// The number of calls.
    var calls: Int {
        switch self {
        case .call: 1
        case .oneWay: 0
        case .array(_, let waiters, _): waiters.count
        }
    }

    /// The same submission. A short one gets memory of its own size, because its tail may be a part of a large buffer.
    var kept: Submission {
        guard case .call(let tail, let id) = self, tail.count <= SessionOutbox.sharingThreshold else { return self }
        return .call(tail: Array(tail)[...], id: id)
    }
}

/// An array whose calls have no ids yet.
struct ArrayDraft: Sendable {
    struct Member: Sendable {
        /// The range of the member in ``ArrayDraft/bytes``: the tail of a request, or a whole notification.
        var range: Range<Int>
        var isCall: Bool
    }

    /// The bytes of the members, and possibly of other arrays.
    var bytes: [UInt8]
    var members: ArraySlice<Member>
}

extension EnvelopeWriter {
    /// Returns the bytes that a member takes in an array, with 40 bytes for an id that is not known yet.
    func size(of member: ArrayDraft.Member) -> Int {
        member.isCall ? requestHead.count + 40 + member.range.count : member.range.count
    }
}
