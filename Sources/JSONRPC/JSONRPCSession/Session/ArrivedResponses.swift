// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// A message from the peer, and the storage of its bytes.
struct ArrivedMessage {
    let bytes: UnsafeRawBufferPointer
    /// The bytes, if the session may keep them.
    let owned: [UInt8]?
    let isBinary: Bool

    /// Returns a value in the message, in storage that outlives the message.
    func json(_ range: Range<Int>) -> RawJSON {
        if let owned { return RawJSON(unchecked: owned[range]) }
        return RawJSON(unchecked: [UInt8](UnsafeRawBufferPointer(rebasing: bytes[range])))
    }

    /// Returns a value in the message for storing: see ``StoredPart``.
    func detached(_ range: Range<Int>, slack: Int = 256) -> RawJSON {
        if StoredPart.sharesWell(range.count, of: bytes.count, slack: slack) { return json(range) }
        return RawJSON(unchecked: [UInt8](UnsafeRawBufferPointer(rebasing: bytes[range])))
    }

    func result(_ range: Range<Int>) -> RawJSON { detached(range, slack: StoredPart.resultSlack) }

    /// Returns the message with bytes that can be kept, so that several values can share them.
    func kept() -> [UInt8] { owned ?? [UInt8](bytes) }
}

/// Regular responses that were read together and wait to be settled together.
///
/// If each response took the lock, the lock and the state that it protects would move between the processors of the
/// transport's thread and of the callers.
struct ArrivedResponses {
    /// The maximum number of responses that are settled under one lock, because callers wait for it.
    static let limit = 32

    /// A response, and the range of the result in its bytes.
    struct Response {
        var id: Int64
        var result: Range<Int>
        var bytes: [UInt8]

        /// The result. It shares the storage of the response, unless the result is only a part of it.
        consuming func takeResult() -> ArraySlice<UInt8> {
            bytes[result].detached(from: bytes.count, slack: StoredPart.resultSlack)
        }
    }

    /// Whether further messages may follow soon.
    var isGathering = false
    private(set) var responses: [Response] = []
    /// The effects of the responses, in the same order. The array is kept to reuse its storage.
    var actions: [SessionDriver.Machine.ResponseAction] = []
    /// The outcomes for inboxes, whose consumers are woken once for a read.
    var buffer = OutcomeBuffer()
    /// Whether there are outcomes that must be passed on before other messages are handled.
    var holdsOutcomes: Bool { !responses.isEmpty || !buffer.isEmpty }

    /// Gathers a response. Returns whether the responses must be settled now; `nil` if the response was not gathered,
    /// and must be handled at once.
    mutating func add(_ id: Int64, _ result: Range<Int>, _ message: ArrivedMessage) -> Bool? {
        guard isGathering else { return nil }
        responses.append(Response(id: id, result: result, bytes: message.kept()))
        return responses.count >= Self.limit
    }

    /// Passes on the responses in the order of their arrival, without copies that would be released here.
    mutating func forEach(_ body: (consuming Response, SessionDriver.Machine.ResponseAction) -> Void) {
        responses.reverse()
        for action in actions { body(responses.removeLast(), action) }
        actions.removeAll(keepingCapacity: true)
    }
}

extension RawJSON {
    /// Returns a value in the params of a notification, for storing.
    func detached(from params: RawJSON?) -> RawJSON {
        guard let params else { return self }
        return RawJSON(unchecked: bytes.detached(from: params.bytes.count))
    }
}
