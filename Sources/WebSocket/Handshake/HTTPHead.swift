// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The head of an HTTP/1.1 message (RFC 9112): its first line and its fields.
struct HTTPHead: Sendable {
    var startLine: String
    /// In their order. Of a head that was read, names are in lower case, and values have no white space around them.
    var fields: [(name: String, value: String)]

    /// Every value of a field, in order.
    func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// The elements of a field that is a list (RFC 9110 §5.6.1), over all lines in which it comes.
    func list(_ name: String) -> [String] {
        values(of: name).flatMap { $0.split(separator: ",") }.map(\.trimmedOfBlanks).filter { !$0.isEmpty }
    }

    /// Whether a list has a token, whatever its case.
    func list(_ name: String, has token: String) -> Bool {
        list(name).contains { $0.lowercased() == token }
    }

    /// The head as it goes over the wire, with the empty line at its end.
    ///
    /// The caller has checked that the start line and the fields hold no line breaks.
    var bytes: [UInt8] {
        var text = startLine + "\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}

extension HTTPHead {
    struct Malformed: Error {
        /// One half of a sentence.
        var reason: String
    }

    /// Reads the lines of a head, without the empty one at its end.
    init(lines: [ArraySlice<UInt8>]) throws(Malformed) {
        guard let first = lines.first else { throw Malformed(reason: "it has no first line") }
        startLine = String(decoding: first, as: UTF8.self)
        fields = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw Malformed(reason: "a header field has no colon")
            }
            // A line that continues the one before it begins with white space, so it is refused here (RFC 9112 §5.2).
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard name.isHTTPToken else { throw Malformed(reason: "a header field's name is not a token") }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            fields.append((name.lowercased(), value[...].trimmedOfBlanks))
        }
    }
}

extension Substring {
    /// The text without the spaces and tabs around it.
    var trimmedOfBlanks: String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var bytes = utf8[...].drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}

/// Puts the head of an HTTP message together from what is read, and says at once when it cannot become one.
struct HTTPHeadReader {
    /// What the message has to begin with.
    private let start: [UInt8]
    /// The first byte of the current line.
    private var lineStart = 0
    private var bytes: [UInt8] = []
    private var lines: [Range<Int>] = []

    /// The longest head that is taken, in bytes.
    static let maximumBytes = 16_384

    init(start: String = "") { self.start = Array(start.utf8) }

    enum Step {
        /// More has to come.
        case incomplete
        /// So many of the bytes belong to the head; what follows does not.
        case complete(HTTPHead, consumed: Int)
    }

    /// Takes what was read.
    /// - Throws: When it is no head of an HTTP message, or too long a one.
    @unsafe mutating func take(_ input: UnsafeRawBufferPointer) throws(HTTPHead.Malformed) -> Step {
        for index in 0..<input.count {
            let byte = unsafe input[index]
            if bytes.count < start.count, byte != start[bytes.count] {
                throw HTTPHead.Malformed(reason: "it does not begin with \"\(String(decoding: start, as: UTF8.self))\"")
            }
            guard bytes.count < Self.maximumBytes else {
                throw HTTPHead.Malformed(reason: "its head is longer than \(Self.maximumBytes) bytes")
            }
            bytes.append(byte)
            guard byte == 0x0A else {
                try check(byte)
                continue
            }
            guard let line = endLine() else { continue }
            guard line.isEmpty else {
                lines.append(line)
                continue
            }
            let head = try HTTPHead(lines: lines.map { bytes[$0] })
            self = HTTPHeadReader(copying: start)
            return .complete(head, consumed: index + 1)
        }
        return .incomplete
    }

    private init(copying start: [UInt8]) { self.start = start }

    /// The line that ends with the last byte. A bare LF ends one too (RFC 9112 §2.2).
    private mutating func endLine() -> Range<Int>? {
        var end = bytes.count - 1
        if end > lineStart, bytes[end - 1] == 0x0D { end -= 1 }
        defer { lineStart = bytes.count }
        return lineStart..<end
    }

    private func check(_ byte: UInt8) throws(HTTPHead.Malformed) {
        // A CR that no LF follows could hide a line (RFC 9112 §2.2).
        if bytes.count > 1, bytes[bytes.count - 2] == 0x0D {
            throw HTTPHead.Malformed(reason: "its head holds a bare CR")
        }
        guard byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0D else {
            throw HTTPHead.Malformed(reason: "its head holds a control character")
        }
    }
}
