// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A reader of frames (RFC 6455 §5) that assembles messages. A message that is completely in the input is never copied.
/// Every violation by the peer is reported as a ``Violation`` as early as possible, if possible from a frame's header.
@safe struct FrameReader {
    enum Event {
        /// The input is used up.
        case none
        case message(InboundMessage.Content, isBinary: Bool)
        case ping([UInt8])
        case pong([UInt8])
        /// A CLOSE frame. The code is 1005 if the frame has none.
        case close(code: UInt16, reason: String)
        /// A violation. The rest of the input cannot be read.
        case violation(Violation)
    }

    /// The maximum number of empty fragments in a message. They cost time but no memory, so no other limit stops them.
    static let maximumEmptyFragments = 1024
    /// The most bytes that are reserved for a message before they have arrived. A longer message grows as it arrives.
    static let maximumReservedBytes = 256 << 20

    private(set) var rules: FrameRules
    private let maximumMessageBytes: Int
    private let validatesText: Bool
    private let deflate: PermessageDeflate?
    /// The inflater, which is made for the first compressed message.
    private var inflater: Inflater?

    /// The first bytes of a header that was not completely received.
    private var header: [UInt8] = []
    private var frame: InboundFrame?
    /// The number of bytes of the frame's payload that were already read.
    private var position = 0
    private var control: [UInt8] = []

    private var isBinary = false
    private var isCompressed = false
    private var message: [UInt8] = []
    private var compressedBytes = 0
    private var emptyFragments = 0
    private var textCheck = UTF8Stream()
    private var isBroken = false

    /// Whether messages are skipped, because this side is closing the connection.
    var discardsMessages = false {
        didSet { message = [] }
    }

    /// The number of bytes that are stored of an unfinished message.
    var unfinishedBytes: Int { message.count }
    /// Whether a message or a frame has begun and is unfinished.
    var isUnfinished: Bool { rules.isInMessage || frame != nil || !header.isEmpty }

    /// Makes a reader. `isMasked` says whether the frames come from a client (RFC 6455 §5.1).
    init(isMasked: Bool, maximumMessageBytes: Int, validatesText: Bool, deflate: PermessageDeflate? = nil) {
        rules = FrameRules(isMasked: isMasked, allowsCompression: deflate != nil)
        self.maximumMessageBytes = max(maximumMessageBytes, 0)
        self.validatesText = validatesText
        self.deflate = deflate
    }

    /// Reads up to the next event, and removes the bytes that were read from the beginning of `input`. It can change
    /// the bytes of `input`. A borrowed message is a part of the memory of `input`.
    @unsafe mutating func next(_ input: inout UnsafeMutableRawBufferPointer) -> Event {
        guard !isBroken else { return .none }
        do {
            while true {
                if frame == nil {
                    guard let next = unsafe try readHeader(&input) else { return .none }
                    try begin(next)
                }
                guard let frame else { return .none }
                guard unsafe position == frame.length || !input.isEmpty else { return .none }
                let piece = unsafe takePiece(of: frame, from: &input)
                if position == frame.length { self.frame = nil }
                let event =
                    frame.opcode.isControl
                    ? unsafe try controlPiece(piece, of: frame) : unsafe try messagePiece(piece, of: frame)
                if let event { return event }
            }
        } catch {
            isBroken = true
            message = []
            return .violation(error)
        }
    }

    @unsafe private mutating func readHeader(
        _ input: inout UnsafeMutableRawBufferPointer
    ) throws(Violation) -> InboundFrame? {
        if header.isEmpty, let (frame, size) = unsafe try rules.frame(at: UnsafeRawBufferPointer(input)) {
            unsafe input = UnsafeMutableRawBufferPointer(rebasing: input[size...])
            return frame
        }
        while let byte = unsafe input.first {
            unsafe input = UnsafeMutableRawBufferPointer(rebasing: input[1...])
            header.append(byte)
            let read = unsafe try header.withUnsafeBufferPointer { (bytes) throws(Violation) in
                unsafe try rules.frame(at: UnsafeRawBufferPointer(bytes))
            }
            if let (frame, _) = read {
                header.removeAll(keepingCapacity: true)
                return frame
            }
        }
        return nil
    }

    /// Takes the part of the frame's payload that is in the input, and unmasks it.
    @unsafe private mutating func takePiece(
        of frame: InboundFrame, from input: inout UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let count = min(frame.length - position, input.count)
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: input[..<count])
        unsafe input = UnsafeMutableRawBufferPointer(rebasing: input[count...])
        if rules.isMasked, let start = piece.baseAddress {
            unsafe Masking.copy(from: start, to: start, count: count, key: frame.key, phase: position)
        }
        position += count
        return UnsafeRawBufferPointer(piece)
    }

    // MARK: Control frames

    @unsafe private mutating func controlPiece(
        _ piece: UnsafeRawBufferPointer, of frame: InboundFrame
    ) throws(Violation) -> Event? {
        unsafe control.append(contentsOf: piece)
        guard self.frame == nil else { return nil }
        let payload = control
        control = []
        switch frame.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default: return try Self.close(payload)
        }
    }

    private static func close(_ payload: [UInt8]) throws(Violation) -> Event {
        guard !payload.isEmpty else { return .close(code: WebSocketCloseCode.noStatusReceived.rawValue, reason: "") }
        guard payload.count >= 2 else { throw Violation("The peer sent a CLOSE frame with half a code.") }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.maySend else {
            throw Violation("The peer sent a CLOSE frame with the code \(code.rawValue), which may not be sent.")
        }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .reasonNotText }
        return .close(code: code.rawValue, reason: reason)
    }

    // MARK: Messages

    private mutating func begin(_ frame: InboundFrame) throws(Violation) {
        self.frame = frame
        position = 0
        guard !frame.opcode.isControl else { return }
        if frame.opcode != .continuation {
            isBinary = frame.opcode == .binary
            isCompressed = frame.isCompressed
            compressedBytes = 0
            emptyFragments = 0
            textCheck = UTF8Stream()
        }
        rules.isInMessage = true
        if frame.length == 0 { emptyFragments += 1 }
        guard emptyFragments <= Self.maximumEmptyFragments else {
            throw Violation.tooManyEmptyFragments
        }
        if !discardsMessages { try checkSize(of: frame) }
    }

    private mutating func checkSize(of frame: InboundFrame) throws(Violation) {
        guard isCompressed else {
            let (sum, overflow) = message.count.addingReportingOverflow(frame.length)
            guard !overflow, sum <= maximumMessageBytes else { throw tooBig }
            return
        }
        // Data that cannot be compressed grows by a few bytes in 16 KiB (RFC 1951 §3.2.4).
        let limit = maximumMessageBytes.addingReportingOverflow(maximumMessageBytes / 256 + 1024)
        let (sum, overflow) = compressedBytes.addingReportingOverflow(frame.length)
        guard !overflow, sum <= (limit.overflow ? .max : limit.partialValue) else { throw tooBig }
        compressedBytes = sum
    }

    private var tooBig: Violation { .tooBig(maximumMessageBytes) }

    @unsafe private mutating func messagePiece(
        _ piece: UnsafeRawBufferPointer, of frame: InboundFrame
    ) throws(Violation) -> Event? {
        let isLast = self.frame == nil && frame.isFinal
        if isLast { rules.isInMessage = false }
        guard !discardsMessages else { return nil }
        if isCompressed { return unsafe try compressedPiece(piece, isLast: isLast) }
        // The message is complete and has no earlier fragment, so it is not copied.
        if isLast, frame.opcode != .continuation, piece.count == frame.length {
            guard unsafe isBinary || !validatesText || UTF8Check.verdict(piece) == .wellFormed else { throw .notText }
            return unsafe .message(.borrowed(piece), isBinary: isBinary)
        }
        if validatesText, !isBinary, unsafe !textCheck.take(piece) { throw .notText }
        if message.isEmpty {
            // For an unfragmented message, the exact size is reserved, if it is not enormous: the peer announces it
            // before it sends the bytes.
            message.reserveCapacity(min(frame.length, Self.maximumReservedBytes))
        }
        unsafe message.append(contentsOf: piece)
        return isLast ? try finish() : nil
    }

    @unsafe private mutating func compressedPiece(
        _ piece: UnsafeRawBufferPointer, isLast: Bool
    ) throws(Violation) -> Event? {
        let inflater = if let inflater { inflater } else { try Inflater() }
        self.inflater = inflater
        let start = message.count
        switch unsafe inflater.inflate(piece, isLast: isLast, into: &message, limit: maximumMessageBytes) {
        case .done: break
        case .tooLarge: throw tooBig
        case .malformed:
            throw Violation("The peer sent a message that cannot be inflated.", closeCode: .invalidFramePayloadData)
        }
        if validatesText, !isBinary {
            let isText = unsafe message.withUnsafeBytes { bytes in
                unsafe textCheck.take(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
            guard isText else { throw .notText }
        }
        guard isLast else { return nil }
        if deflate?.peerForgetsContext == true { self.inflater = nil }
        return try finish()
    }

    private mutating func finish() throws(Violation) -> Event {
        guard isBinary || !validatesText || textCheck.isComplete else { throw .notText }
        let bytes = message.withoutSpareCapacity
        message = []
        return .message(.owned(bytes), isBinary: isBinary)
    }
}

extension [UInt8] {
    /// The bytes in a buffer of their size, because receivers keep messages and count only their bytes. Fragments and
    /// compressed data let the buffer grow beyond it.
    var withoutSpareCapacity: [UInt8] {
        guard capacity - count > 256 + count / 8 else { return self }
        var copy: [UInt8] = []
        copy.reserveCapacity(count)
        copy.append(contentsOf: self)
        return copy
    }
}

/// A violation of RFC 6455 by the peer, or a limit that it exceeded.
struct Violation: Error, Equatable {
    var closeCode: WebSocketCloseCode
    var code: WebSocketError.Code
    /// One sentence.
    var text: String

    init(
        _ text: String, closeCode: WebSocketCloseCode = .protocolError, code: WebSocketError.Code = .protocolViolation
    ) {
        self.text = text
        self.closeCode = closeCode
        self.code = code
    }

    var error: WebSocketError {
        var error = WebSocketError(code, text)
        error.closeCode = closeCode
        return error
    }

    static let notText = Violation(
        "A text message is not UTF-8.", closeCode: .invalidFramePayloadData, code: .invalidText)
    static let reasonNotText = Violation(
        "The peer sent a CLOSE frame whose reason is not UTF-8.", closeCode: .invalidFramePayloadData)
    static let tooManyEmptyFragments = Violation(
        "The peer sent too many empty fragments.", closeCode: .policyViolation)
    static let tooSlow = Violation(
        "A message was not complete in time (unfinishedMessageTimeout).", closeCode: .policyViolation)
    static let tooMuchUnfinished = Violation(
        "Unfinished messages take more than the listener allows (unfinishedMessageBytes).", closeCode: .tryAgainLater,
        code: .messageTooBig)

    static func tooBig(_ maximumMessageBytes: Int) -> Violation {
        Violation(
            "A message is larger than \(maximumMessageBytes) bytes (maximumMessageBytes).", closeCode: .messageTooBig,
            code: .messageTooBig)
    }
}

/// A frame whose header was read.
struct InboundFrame: Equatable {
    var opcode: Opcode
    var isFinal: Bool
    /// Whether the message that begins with this frame is compressed (RFC 7692 §6).
    var isCompressed: Bool
    /// The length of the payload in bytes.
    var length: Int
    /// The masking key in the byte order of its memory, or 0 if frames are not masked.
    var key: UInt32
}

/// The rules of RFC 6455 §5 for the header of the next frame.
struct FrameRules: Equatable {
    /// Whether the frames come from a client.
    let isMasked: Bool
    /// Whether permessage-deflate was negotiated.
    let allowsCompression: Bool
    var isInMessage = false

    /// Reads the header at the beginning of `bytes`. Returns the frame and the header's size, or `nil` if the header is
    /// incomplete. Throws a violation, already after the first two bytes if they show it.
    @unsafe func frame(at bytes: UnsafeRawBufferPointer) throws(Violation) -> (InboundFrame, Int)? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = unsafe (bytes[0], bytes[1])
        let opcode = try checkedOpcode(first, second)
        var length = Int(second & 0x7F)
        var size = 2
        if length >= 126 {
            size = length == 126 ? 4 : 10
            guard bytes.count >= size else { return nil }
            length = unsafe try Self.longLength(in: UnsafeRawBufferPointer(rebasing: bytes[2..<size]))
        }
        var key: UInt32 = 0
        if isMasked {
            guard bytes.count >= size + 4 else { return nil }
            key = unsafe bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self)
            size += 4
        }
        let frame = InboundFrame(
            opcode: opcode, isFinal: first & FrameHeader.finalBit != 0,
            isCompressed: first & FrameHeader.compressedBit != 0, length: length, key: key)
        return (frame, size)
    }

    @unsafe private static func longLength(in bytes: UnsafeRawBufferPointer) throws(Violation) -> Int {
        var length: UInt64 = 0
        for index in 0..<bytes.count { unsafe length = length << 8 | UInt64(bytes[index]) }
        guard length > (bytes.count == 2 ? 125 : 0xFFFF) else {
            throw Violation("The peer sent a frame whose length is not encoded in the fewest bytes.")
        }
        guard let length = Int(exactly: length) else { throw Violation("The peer sent a frame of 2^63 bytes or more.") }
        return length
    }

    private func checkedOpcode(_ first: UInt8, _ second: UInt8) throws(Violation) -> Opcode {
        guard let opcode = Opcode(rawValue: first & 0x0F) else {
            throw Violation("The peer sent a frame with the reserved opcode \(first & 0x0F).")
        }
        let beginsMessage = opcode == .text || opcode == .binary
        let reserved = first & FrameHeader.reservedBits
        guard reserved == 0 || reserved == FrameHeader.compressedBit && allowsCompression && beginsMessage else {
            throw Violation("The peer sent a frame with reserved bits set.")
        }
        guard (second & 0x80 != 0) == isMasked else {
            throw Violation(isMasked ? "The client sent an unmasked frame." : "The server sent a masked frame.")
        }
        if opcode.isControl {
            guard first & FrameHeader.finalBit != 0 else {
                throw Violation("The peer sent a fragmented control frame.")
            }
            guard second & 0x7F <= 125 else { throw Violation("The peer sent a control frame of more than 125 bytes.") }
        } else if beginsMessage == isInMessage {
            throw Violation(
                isInMessage ? "The peer began a message within another." : "The peer sent an unexpected continuation."
            )
        }
        return opcode
    }
}
