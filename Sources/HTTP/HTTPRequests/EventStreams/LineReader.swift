// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Reads lines from a stream of bytes whose pieces may end anywhere.
///
/// It buffers one piece and the beginning of one line. It reads the next piece when all earlier lines were taken.
struct LineReader {
    enum Ending {
        /// LF, or CR and LF.
        case lineFeed
        /// LF, CR, or CR and LF (server-sent events).
        case anyLineBreak
    }

    private var pieces: HTTPByteStream.AsyncIterator?
    private let ending: Ending
    private let maximumLineBytes: Int
    private var piece: ArraySlice<UInt8> = []
    /// The beginning of a line from earlier pieces.
    private var beginning: [UInt8] = []
    /// Whether the last line ended with a CR, so that a LF behind it belongs to the same line break.
    private var isAfterCarriageReturn = false

    init(_ stream: HTTPByteStream, ending: Ending, maximumLineBytes: Int) {
        pieces = stream.makeAsyncIterator()
        self.ending = ending
        self.maximumLineBytes = max(maximumLineBytes, 0)
    }

    /// A line without its line break.
    struct Line {
        var bytes: ArraySlice<UInt8>
        /// Whether the line ended with a line break, not with the stream.
        var isComplete: Bool
    }

    /// Returns the next line; `nil` at the end. A line break at the end of the stream begins no further line.
    ///
    /// - Throws: ``LineTooLong``; the errors of the stream. An error ends the lines.
    mutating func next() async throws -> Line? {
        while true {
            if let line = try takeLine() { return line }
            // An iterator must not be used again after it has thrown.
            guard var current = pieces.take() else { return nil }
            guard let next = try await current.next() else {
                guard !beginning.isEmpty else { return nil }
                defer { beginning = [] }
                return Line(bytes: beginning[...], isComplete: false)
            }
            pieces = current
            piece = next
        }
    }

    struct LineTooLong: Error {}

    private mutating func takeLine() throws(LineTooLong) -> Line? {
        if isAfterCarriageReturn, let first = piece.first {
            isAfterCarriageReturn = false
            if first == 0x0A { piece.removeFirst() }
        }
        guard let end = lineEnd() else {
            try check(beginning.count + piece.count, isOpen: true)
            beginning += piece
            piece = []
            return nil
        }
        var line = piece[..<end]
        isAfterCarriageReturn = piece[end] == 0x0D
        piece = piece[(end + 1)...]
        if !beginning.isEmpty {
            line = (beginning + line)[...]
            beginning = []
        }
        if ending == .lineFeed, line.last == 0x0D { line.removeLast() }
        try check(line.count, isOpen: false)
        return Line(bytes: line, isComplete: true)
    }

    private func lineEnd() -> Int? {
        switch ending {
        case .lineFeed: piece.firstIndex(of: 0x0A)
        case .anyLineBreak: piece.firstIndex { $0 == 0x0A || $0 == 0x0D }
        }
    }

    /// - Parameter isOpen: Whether the line may still end with a CR, which does not count towards the limit.
    private mutating func check(_ count: Int, isOpen: Bool) throws(LineTooLong) {
        let slack = isOpen && ending == .lineFeed && (piece.last ?? beginning.last) == 0x0D ? 1 : 0
        guard count - slack <= maximumLineBytes else {
            (pieces, piece, beginning) = (nil, [], [])
            throw LineTooLong()
        }
    }
}
