// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct FrameReaderTests {
    private enum Seen: Equatable {
        case text(String), binary([UInt8]), ping([UInt8]), pong([UInt8])
        case close(UInt16, String)
        case violation(WebSocketCloseCode, WebSocketError.Code)
    }

    private func reader(
        isMasked: Bool = false, maximumMessageBytes: Int = 1000, validatesText: Bool = true,
        deflate: PermessageDeflate? = nil
    ) -> FrameReader {
        FrameReader(
            isMasked: isMasked, maximumMessageBytes: maximumMessageBytes, validatesText: validatesText, deflate: deflate
        )
    }

    /// The results of the reader if the bytes arrive in pieces of this size.
    private func seen(_ bytes: [UInt8], pieces: Int, by reader: inout FrameReader) -> [Seen] {
        var all: [Seen] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            var piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            piece.withUnsafeMutableBytes { buffer in
                var input = buffer
                while let event = Self.next(&reader, &input) { all.append(event) }
            }
        }
        return all
    }

    private static func next(_ reader: inout FrameReader, _ input: inout UnsafeMutableRawBufferPointer) -> Seen? {
        switch reader.next(&input) {
        case .none: return nil
        case .message(let content, let isBinary):
            let bytes = InboundMessage(content: content, isBinary: isBinary).bytes
            return isBinary ? .binary(bytes) : .text(String(decoding: bytes, as: UTF8.self))
        case .ping(let payload): return .ping(payload)
        case .pong(let payload): return .pong(payload)
        case .close(let code, let reason): return .close(code, reason)
        case .violation(let violation): return .violation(violation.closeCode, violation.code)
        }
    }

    private func seen(_ bytes: [UInt8], pieces: Int = .max, by reader: FrameReader? = nil) -> [Seen] {
        var reader = reader ?? self.reader()
        return seen(bytes, pieces: min(pieces, max(bytes.count, 1)), by: &reader)
    }

    private static let violation = Seen.violation(.protocolError, .protocolViolation)

    /// All kinds of frames, in every length class.
    private static func conversation(isMasked: Bool) -> (bytes: [UInt8], seen: [Seen]) {
        func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
            RawFrame(opcode, payload, isFinal: isFinal, maskingKey: isMasked ? [1, 2, 3, 4] : nil).bytes
        }
        let long = [UInt8](repeating: 7, count: 126)
        let longer = [UInt8](repeating: 8, count: 70_000)
        let bytes =
            frame(1, Array("Grüße".utf8)) + frame(2, []) + frame(9, [1]) + frame(1, Array("a".utf8), isFinal: false)
            + frame(10, [2]) + frame(0, [], isFinal: false) + frame(0, Array("b".utf8)) + frame(2, long)
            + frame(2, longer) + frame(8, [0x03, 0xE9] + Array("später".utf8))
        let seen: [Seen] = [
            .text("Grüße"), .binary([]), .ping([1]), .pong([2]), .text("ab"), .binary(long), .binary(longer),
            .close(1001, "später"),
        ]
        return (bytes, seen)
    }

    @Test(arguments: [false, true], [1, 2, 3, 5, 7, 13, 64, 1000, 65_536, 100_000])
    func framesAreReadInPiecesOfAnySize(isMasked: Bool, pieces: Int) {
        let (bytes, expected) = Self.conversation(isMasked: isMasked)
        var reader = reader(isMasked: isMasked, maximumMessageBytes: 70_000)
        #expect(seen(bytes, pieces: pieces, by: &reader) == expected)
        #expect(!reader.isUnfinished)
        #expect(reader.unfinishedBytes == 0)
    }

    @Test func aWholeMessageStaysWhereItLies() {
        var reader = reader()
        var bytes = RawFrame(1, [65]).bytes + RawFrame(2, []).bytes
        bytes.withUnsafeMutableBytes { buffer in
            var input = buffer
            for count in [1, 0] {
                guard case .message(.borrowed(let message), _) = reader.next(&input) else {
                    Issue.record("The message was copied.")
                    return
                }
                #expect(message.count == count)
            }
        }
    }

    @Test func theLimitIsExact() {
        let exact = RawFrame(2, [UInt8](repeating: 1, count: 1000)).bytes
        let more = RawFrame(2, [UInt8](repeating: 1, count: 1001)).bytes
        #expect(seen(exact, pieces: 10).count == 1)
        #expect(seen(more) == [.violation(.messageTooBig, .messageTooBig)])
        let fragments = RawFrame(2, [UInt8](repeating: 1, count: 600), isFinal: false).bytes
        #expect(
            seen(fragments + RawFrame(0, [UInt8](repeating: 1, count: 401)).bytes)
                == [.violation(.messageTooBig, .messageTooBig)])
    }

    /// Number 6: a length beyond the limit is refused with the header.
    @Test(arguments: [
        [0x82, 126, 0x03, 0xE9], [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], [0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0],
        [0x02, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    ])
    func aLengthBeyondTheLimitIsRefusedWithItsHeader(header: [UInt8]) {
        #expect(seen(header) == [.violation(.messageTooBig, .messageTooBig)])
        #expect(seen(header, pieces: 1) == [.violation(.messageTooBig, .messageTooBig)])
    }

    /// Without a limit, the announced length is not reserved: no memory has room for it.
    @Test func anEnormousLengthIsNotReserved() {
        var reader = reader(maximumMessageBytes: .max)
        #expect(seen([0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0, 1], pieces: 11, by: &reader).isEmpty)
        #expect(reader.unfinishedBytes == 1)
    }

    /// Receivers keep messages, and count their bytes.
    @Test func aMessageInFragmentsHasNoSpareCapacity() {
        var reader = reader(maximumMessageBytes: 1 << 20)
        let bytes = [UInt8](repeating: 1, count: 300_000)
        var frames = RawFrame(2, bytes, isFinal: false).bytes + RawFrame(0, [1]).bytes
        frames.withUnsafeMutableBytes { buffer in
            var input = buffer
            guard case .message(.owned(let message), _) = reader.next(&input) else {
                Issue.record("There is no message of its own.")
                return
            }
            #expect(message == bytes + [1])
            #expect(message.capacity < 310_000)
        }
    }

    /// Number 6, counting the bytes of earlier fragments.
    @Test func aFragmentBeyondTheLimitIsRefusedWithItsHeader() {
        let first = RawFrame(2, [UInt8](repeating: 1, count: 900), isFinal: false).bytes
        #expect(seen(first + [0x80, 101]) == [.violation(.messageTooBig, .messageTooBig)])
        #expect(seen(first + [0x80, 100]).isEmpty)
    }

    private static let broken: [String: [UInt8]] = [
        "reserved bit 1": [0xC1, 0], "reserved bit 2": [0xA1, 0], "reserved bit 3": [0x91, 0],
        "reserved opcode 3": [0x83, 0], "reserved opcode 7": [0x07, 0], "reserved opcode 11": [0x8B, 0],
        "reserved opcode 15": [0x8F, 0], "continuation of nothing": [0x80, 0],
        "message within another": [0x01, 1, 65, 0x81, 0], "fragmented ping": [0x09, 0],
        "fragmented close": [0x08, 0], "ping of 126 bytes": [0x89, 126], "close of 2^16 bytes": [0x88, 127],
        "masked frame of a server": [0x81, 0x80], "length 125 in three bytes": [0x82, 126, 0, 125],
        "length 2^16 - 1 in nine bytes": [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
        "length of 2^63": [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], "close of one byte": [0x88, 1, 3],
        "close with code 0": [0x88, 2, 0, 0], "close with code 999": [0x88, 2, 0x03, 0xE7],
        "close with code 1004": [0x88, 2, 0x03, 0xEC], "close with code 1005": [0x88, 2, 0x03, 0xED],
        "close with code 1006": [0x88, 2, 0x03, 0xEE], "close with code 1015": [0x88, 2, 0x03, 0xF7],
        "close with code 1016": [0x88, 2, 0x03, 0xF8], "close with code 2999": [0x88, 2, 0x0B, 0xB7],
        "close with code 5000": [0x88, 2, 0x13, 0x88], "close with code 65535": [0x88, 2, 0xFF, 0xFF],
    ]

    /// Numbers 4, 5 and 8.
    @Test(arguments: broken.keys.sorted()) func aBrokenRuleIsAViolation(name: String) throws {
        let bytes = try #require(Self.broken[name])
        #expect(seen(bytes).last == Self.violation)
        #expect(seen(bytes, pieces: 1).last == Self.violation)
        // Nothing is read after it.
        #expect(seen(bytes + RawFrame(2, [1]).bytes).last == Self.violation)
    }

    @Test func anUnmaskedFrameOfAClientIsAViolation() {
        #expect(seen([0x81, 0], by: reader(isMasked: true)) == [Self.violation])
    }

    @Test(arguments: [1000, 1003, 1007, 1011, 1012, 1013, 1014, 3000, 4999] as [UInt16])
    func aCloseCodeThatMayBeSentIsRead(code: UInt16) {
        #expect(seen(RawFrame.close(code).bytes) == [.close(code, "")])
    }

    @Test func aCloseWithoutACodeIs1005() { #expect(seen([0x88, 0]) == [.close(1005, "")]) }

    /// Number 5.
    @Test func aCloseReasonThatIsNotUTF8IsAViolation() {
        #expect(
            seen([0x88, 4, 0x03, 0xE8, 0xC3, 0x28]) == [.violation(.invalidFramePayloadData, .protocolViolation)])
    }

    /// Number 7.
    @Test func fragmentsWithoutPayloadAreBounded() {
        let empty = RawFrame(0, [], isFinal: false).bytes
        let begin = RawFrame(2, [], isFinal: false).bytes
        let allowed = [[UInt8]](repeating: empty, count: FrameReader.maximumEmptyFragments - 1).flatMap { $0 }
        #expect(seen(begin + allowed).isEmpty)
        #expect(seen(begin + allowed + empty) == [.violation(.policyViolation, .protocolViolation)])
        // The count restarts with each message.
        let whole = begin + allowed.dropLast(2) + RawFrame(0, [1]).bytes
        #expect(seen(whole + whole) == [.binary([1]), .binary([1])])
    }

    private static let notText: [[UInt8]] = [
        [0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xFF, 0x62], [0xE2, 0x82],
        [0xF0, 0x9F, 0x98], [0xC3, 0xA9, 0xC3],
    ]

    @Test(arguments: notText) func textThatIsNotUTF8IsAViolation(bytes: [UInt8]) {
        let invalid = Seen.violation(.invalidFramePayloadData, .invalidText)
        #expect(seen(RawFrame(1, bytes).bytes) == [invalid])
        #expect(seen(RawFrame(1, bytes).bytes, pieces: 1) == [invalid])
        #expect(seen(RawFrame(1, bytes).bytes, by: reader(validatesText: false)).count == 1)
        #expect(seen(RawFrame(2, bytes).bytes) == [.binary(bytes)])
    }

    @Test func textThatCannotBecomeUTF8IsRefusedBeforeItsEnd() {
        // The surrogate is visible at its second byte; the frame announces more.
        #expect(seen([0x01, 10, 0xED, 0xA0]) == [.violation(.invalidFramePayloadData, .invalidText)])
    }

    @Test func aCharacterMayBeCutByFragments() {
        let smile = Array("😀".utf8)
        let bytes =
            RawFrame(1, [smile[0]], isFinal: false).bytes + RawFrame(0, [smile[1], smile[2]], isFinal: false).bytes
            + RawFrame(0, [smile[3]]).bytes
        for pieces in 1...4 { #expect(seen(bytes, pieces: pieces) == [.text("😀")]) }
    }

    @Test func discardedMessagesAreNeitherKeptNorLimited() {
        var reader = reader(maximumMessageBytes: 10)
        _ = seen([0x02, 5, 1, 2], pieces: 4, by: &reader)
        reader.discardsMessages = true
        #expect(reader.unfinishedBytes == 0)
        let rest: [UInt8] =
            [3, 4, 5] + RawFrame(0, [UInt8](repeating: 1, count: 100)).bytes + RawFrame.close(1000).bytes
        #expect(seen(rest, pieces: 200, by: &reader) == [.close(1000, "")])
    }

    @Test func aMessageOf64MiBIsPutTogetherInOnePlaceOfItsSize() throws {
        let size = 64 << 20
        var reader = reader(maximumMessageBytes: size)
        let frame = RawFrame(2, [UInt8](repeating: 1, count: size)).bytes
        var message: [UInt8]?
        for start in stride(from: 0, to: frame.count, by: 65_536) {
            var piece = Array(frame[start..<min(start + 65_536, frame.count)])
            piece.withUnsafeMutableBytes { buffer in
                var input = buffer
                if case .message(.owned(let bytes), _) = reader.next(&input) { message = bytes }
            }
        }
        let bytes = try #require(message)
        #expect(bytes.count == size)
        // The allocator rounds up to pages; growing step by step would take up to twice the size.
        #expect(bytes.capacity < size + 65_536)
    }
}
