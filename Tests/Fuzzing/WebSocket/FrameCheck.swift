// swift-jsonrpc · SPDX-License-Identifier: MIT

@testable import WebSocket

/// The invariants of the frame reader, for any input.
struct FrameCheck {
    private enum Seen: Equatable {
        case message([UInt8], isBinary: Bool)
        case ping([UInt8])
        case pong([UInt8])
        case close(UInt16, String)
        case violation(WebSocketCloseCode)
    }

    private let isMasked: Bool
    private let deflate: PermessageDeflate?
    private let validatesText: Bool
    /// Whether the reader discards messages from its third event on.
    private let discards: Bool
    private let limit: Int

    init(options: UInt8, limit: UInt8) {
        isMasked = options & 1 != 0
        let answer = options & 4 == 0 ? "permessage-deflate" : "permessage-deflate; server_no_context_takeover"
        deflate = options & 2 == 0 ? nil : PermessageDeflate(answer: answer)
        validatesText = options & 8 == 0
        discards = options & 16 != 0
        self.limit = [0, 1, 100, 1000, 65_536, 100_000, 1 << 20, 3000][Int(limit & 7)]
    }

    /// The events must not depend on where the input is cut.
    func check(_ bytes: [UInt8], _ pieces: Pieces) {
        let whole = seen([bytes])
        precondition(isSame(seen(Pieces.cut(bytes, pieces)), as: whole), "the events depend on the pieces")
        precondition(isSame(seen(bytes.map { [$0] }), as: whole), "the events depend on the pieces")
    }

    /// Of several faults in a compressed message, the reader reports the one that it sees first.
    private func isSame(_ events: [Seen], as others: [Seen]) -> Bool {
        guard deflate != nil, case .violation = events.last, case .violation = others.last else {
            return events == others
        }
        return events.dropLast() == others.dropLast()
    }

    private func seen(_ pieces: [[UInt8]]) -> [Seen] {
        var reader = FrameReader(
            isMasked: isMasked, maximumMessageBytes: limit, validatesText: validatesText, deflate: deflate)
        var all: [Seen] = []
        for var piece in pieces {
            piece.withUnsafeMutableBytes { buffer in
                var input = buffer
                while let event = next(&reader, &input) {
                    if case .violation = all.last { preconditionFailure("something is told after a violation") }
                    all.append(event)
                    if discards, all.count == 3 { reader.discardsMessages = true }
                }
                var isBroken = false
                if case .violation = all.last { isBroken = true }
                precondition(isBroken || input.isEmpty, "a part of the input is left")
                precondition(reader.unfinishedBytes <= limit, "more is kept than the limit")
                precondition(!reader.discardsMessages || reader.unfinishedBytes == 0, "what is discarded is kept")
            }
        }
        return all
    }

    private func next(_ reader: inout FrameReader, _ input: inout UnsafeMutableRawBufferPointer) -> Seen? {
        let discarded = reader.discardsMessages
        switch reader.next(&input) {
        case .none: return nil
        case .message(let content, let isBinary):
            let bytes = InboundMessage(content: content, isBinary: isBinary).bytes
            precondition(!discarded, "a message is told of that was to be discarded")
            precondition(bytes.count <= limit, "a message is larger than the limit")
            let isText = isBinary || !validatesText || String(validating: bytes, as: UTF8.self) != nil
            precondition(isText, "a text message is not UTF-8")
            return .message(bytes, isBinary: isBinary)
        case .ping(let payload):
            precondition(payload.count <= 125, "a PING is too long")
            return .ping(payload)
        case .pong(let payload):
            precondition(payload.count <= 125, "a PONG is too long")
            return .pong(payload)
        case .close(let code, let reason):
            let mayCome = code == 1005 || WebSocketCloseCode(rawValue: code).maySend
            precondition(mayCome && reason.utf8.count <= 123, "a CLOSE that may not be sent")
            return .close(code, reason)
        case .violation(let violation):
            precondition(violation.closeCode.maySend && !violation.text.isEmpty, "a violation without a code")
            return .violation(violation.closeCode)
        }
    }
}
