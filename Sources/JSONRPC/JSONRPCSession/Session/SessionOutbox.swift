// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// The part of a connection's outbox that the events of a ``SessionStateMachine`` use.
///
/// An outbox appends, never waits and never calls back. Each event borrows it, so the machine decides and acts in one
/// step. Tests pass an array.
protocol MessageOutbox {
    /// Whether messages must wait for room.
    var isFull: Bool { mutating get }

    mutating func nextID() -> RequestID

    /// Appends a request. Returns `nil` if the connection is about to end; then nothing is appended.
    mutating func append(call tail: ArraySlice<UInt8>, id: RequestID) -> OutboxTicket?

    /// Appends a message that gets no response. Returns `nil` if the connection is about to end.
    mutating func append(oneWay message: [UInt8]) -> OutboxTicket?

    /// Appends an array, with an id for each of its calls. Returns `nil` if the connection is about to end.
    mutating func append(_ array: ArrayDraft, ids: [RequestID]) -> OutboxTicket?

    /// Removes a message that was appended. Returns `false` if it has left the outbox.
    mutating func withdraw(_ ticket: OutboxTicket) -> Bool

    mutating func withdrew(_ id: RequestID)

    // MARK: Answers to the peer's calls

    /// Appends a short answer. Returns `false` if the connection is about to end.
    mutating func append(answer bytes: UnsafeRawBufferPointer) -> Bool

    /// Appends an answer, which is not copied if it is long. Returns `false` if the connection is about to end.
    mutating func append(answer bytes: ArraySlice<UInt8>) -> Bool

    /// Whether the answers in the outbox reach this multiple of its limit.
    mutating func holdsAnswers(timesLimit factor: Int) -> Bool

    /// The bytes that have left the outbox since the connection was opened, and the bytes of the answers in it; `nil`
    /// after the end of the connection.
    mutating func answerProgress() -> (sent: UInt64, answerBytes: Int)?
}

/// A message that a program submits to a session.
enum Submission<Waiter: Sendable>: Sendable {
    /// The tail of a request, without its head and id. The id is already known if it comes from a custom generator.
    case call(tail: ArraySlice<UInt8>, id: RequestID?)
    /// A notification.
    case oneWay([UInt8])
    /// An array with the waiters of its calls. Without calls, it gets no response. The ids are already known if they
    /// come from a custom generator; otherwise `ids` is empty.
    case array(ArrayDraft, waiters: [Waiter], ids: [RequestID])

    var calls: Int {
        switch self {
        case .call: 1
        case .oneWay: 0
        case .array(_, let waiters, _): waiters.count
        }
    }

    /// The submission for storing. A short one gets its own memory, because its tail may be a part of a large buffer.
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

/// The outbox of a session's connection: it composes messages and passes them to the transport. The session's lock
/// protects it.
///
/// Long parts are shared with the transport instead of being copied, so the critical section takes no longer for them
/// than for short ones.
struct SessionOutbox: MessageOutbox, Sendable {
    /// Longer messages are shared.
    static let sharingThreshold = 16 << 10

    /// `nil` before the connection is opened, and after its end.
    var transport: (any MessageTransport)?
    var gauge: OutboxGauge
    private var ids: IDSource
    private var mustWake = false
    private let writer: EnvelopeWriter
    /// The beginning of a request, up to its id.
    private let requestHead: [UInt8]
    private let tracer: WireTracer?

    init(limit: Int, ids: IDSource, writer: EnvelopeWriter, tracer: WireTracer?) {
        gauge = OutboxGauge(limit: limit)
        self.ids = ids
        self.writer = writer
        self.tracer = tracer
        requestHead = writer.requestHead
    }

    var countsIDs: Bool {
        switch ids {
        case .numbers: true
        case .custom: false
        }
    }

    var isFull: Bool {
        mutating get { transport.map { gauge.isFull($0) } ?? false }
    }

    mutating func nextID() -> RequestID { ids.next() }

    /// Returns the transport that must be woken after the lock is released.
    mutating func takeWake() -> (any MessageTransport)? {
        guard mustWake else { return nil }
        mustWake = false
        return transport
    }

    // MARK: Messages

    mutating func append(call tail: ArraySlice<UInt8>, id: RequestID) -> OutboxTicket? {
        let count = requestHead.count + tail.count
        guard tail.count <= Self.sharingThreshold else {
            var start: [UInt8] = []
            start.reserveCapacity(requestHead.count + JSONText.maximumDigits)
            writer.beginRequest(id: id, &start)
            return accept(enqueue(sharing: [start[...], tail]), count)
        }
        return accept(tail.withUnsafeBytes { enqueue(id, $0) }, count)
    }

    mutating func append(oneWay message: [UInt8]) -> OutboxTicket? {
        accept(enqueue(anyLength: message[...]), message.count)
    }

    mutating func append(_ draft: ArrayDraft, ids: [RequestID]) -> OutboxTicket? {
        var array = ArrayComposer()
        array.bytes.reserveCapacity(
            2 + draft.members.reduce(0) { $0 + 1 + min(writer.size(of: $1), ArrayComposer.maximumCopy) })
        var ids = ids[...]
        for member in draft.members {
            array.beginMember()
            guard member.isCall, let id = ids.popFirst() else {
                array.append(draft.bytes, member.range)
                continue
            }
            if array.copies(member.range) {
                draft.bytes.withUnsafeBytes { bytes in
                    let tail = UnsafeRawBufferPointer(rebasing: bytes[member.range])
                    writer.appendRequest(id: id, tail: tail, to: &array.bytes)
                }
            } else {
                writer.beginRequest(id: id, &array.bytes)
                array.append(draft.bytes, member.range)
            }
        }
        array.bytes.append(UInt8(ascii: "]"))
        let outcome =
            array.isShared ? enqueue(sharing: array.pieces) : array.bytes.withUnsafeBytes { enqueue(whole: $0) }
        return accept(outcome, array.count)
    }

    mutating func append(answer bytes: ArraySlice<UInt8>) -> Bool {
        accept(enqueue(anyLength: bytes), bytes.count, isAnswer: true) != nil
    }

    mutating func append(answer bytes: UnsafeRawBufferPointer) -> Bool {
        accept(enqueue(whole: bytes), bytes.count, isAnswer: true) != nil
    }

    mutating func holdsAnswers(timesLimit factor: Int) -> Bool {
        let (limit, overflow) = gauge.limit.multipliedReportingOverflow(by: factor)
        return transport.map { gauge.holdsAnswers(overflow ? .max : limit, $0) } ?? false
    }

    mutating func answerProgress() -> (sent: UInt64, answerBytes: Int)? {
        guard let transport else { return nil }
        gauge.look(transport)
        return (gauge.sent, gauge.answerBytes)
    }

    mutating func withdraw(_ ticket: OutboxTicket) -> Bool { transport?.withdraw(ticket) ?? false }

    mutating func withdrew(_ id: RequestID) { tracer?.withdrawn(id) }

    // MARK: The transport

    private mutating func accept(
        _ outcome: EnqueueOutcome, _ count: Int, isAnswer: Bool = false
    ) -> OutboxTicket? {
        guard case .queued(let ticket, let mustWake) = outcome else { return nil }
        if isAnswer { gauge.noteAnswer(ticket, bytes: count) } else { gauge.noteAccepted(ticket, bytes: count) }
        if mustWake { self.mustWake = true }
        return ticket
    }

    /// Passes on a request in two pieces: the part up to the id, and the tail. With a number as its id, the first piece
    /// is composed on the stack, because every call does this under the lock.
    private func enqueue(_ id: RequestID, _ tail: UnsafeRawBufferPointer) -> EnqueueOutcome {
        switch id {
        case .number(let number):
            let capacity = requestHead.count + JSONText.maximumDigits
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
                let digits = JSONText.writeDigits(number, endingAt: buffer)
                // The head is placed before the digits. The buffer has room for the longest number.
                let start = digits - requestHead.count
                for index in requestHead.indices { buffer[start + index] = requestHead[index] }
                return enqueue(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start...]), tail)
            }
        case .string:
            var start: [UInt8] = []
            writer.beginRequest(id: id, &start)
            return start.withUnsafeBytes { enqueue($0, tail) }
        }
    }

    private func enqueue(_ head: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer) -> EnqueueOutcome {
        withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 2) { pieces in
            pieces.initializeElement(at: 0, to: head)
            pieces.initializeElement(at: 1, to: tail)
            return enqueue(UnsafeBufferPointer(pieces))
        }
    }

    private func enqueue(anyLength bytes: ArraySlice<UInt8>) -> EnqueueOutcome {
        bytes.count > Self.sharingThreshold
            ? enqueue(sharing: [bytes]) : bytes.withUnsafeBytes { enqueue(whole: $0) }
    }

    private func enqueue(whole bytes: UnsafeRawBufferPointer) -> EnqueueOutcome {
        withUnsafePointer(to: bytes) { enqueue(UnsafeBufferPointer(start: $0, count: 1)) }
    }

    @inline(__always)
    private func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        guard let transport else { return .refused }
        guard let tracer else { return transport.enqueue(pieces) }
        return tracer.send(pieces, to: transport)
    }

    private func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        guard let transport else { return .refused }
        guard let tracer else { return transport.enqueue(sharing: pieces) }
        return tracer.send(sharing: pieces, to: transport)
    }
}

/// Composes a batch's array under the session's lock: short parts are copied, and long parts are shared.
struct ArrayComposer {
    /// Longer parts are shared.
    static let maximumCopy = 1024

    /// The parts that are copied, one after the other.
    var bytes: [UInt8] = []
    /// The parts that are shared, and the place in ``bytes`` before which each of them belongs.
    private var shared: [(place: Int, part: ArraySlice<UInt8>)] = []
    private var sharedBytes = 0

    var isShared: Bool { !shared.isEmpty }
    var count: Int { bytes.count + sharedBytes }

    func copies(_ range: Range<Int>) -> Bool { range.count <= Self.maximumCopy }

    mutating func beginMember() { bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ",")) }

    mutating func append(_ source: [UInt8], _ range: Range<Int>) {
        guard !copies(range) else { return bytes.append(contentsOf: source[range]) }
        shared.append((bytes.count, source[range]))
        sharedBytes += range.count
    }

    /// The array, as consecutive parts.
    var pieces: [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        pieces.reserveCapacity(2 * shared.count + 1)
        var start = 0
        for (place, part) in shared {
            pieces.append(bytes[start..<place])
            pieces.append(part)
            start = place
        }
        pieces.append(bytes[start...])
        return pieces
    }
}
