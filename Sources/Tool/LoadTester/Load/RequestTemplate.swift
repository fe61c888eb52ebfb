// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import JSONRPCSession
import ToolSupport

/// Params with placeholders in their strings.
///
/// A string that is only a placeholder becomes a number if the value is one: `"{{counter}}"` becomes `1`. In a longer
/// string, and in the name of a member, the value is text: `"user-{{counter}}"` becomes `"user-1"`. `{{{{` stands for
/// `{{`.
package struct RequestTemplate: Sendable {
    /// The list of placeholders, for help and errors.
    package static let placeholders =
        "{{counter}}, {{counter 100}}, {{random 1..6}}, {{float 0..1}}, {{uuid}}, {{text 16}}, {{pick a|b|c}}"
    /// The longest text that `{{text …}}` can make.
    private static let maximumText = 65_536

    private enum Piece {
        /// A part of the text without placeholders.
        case bytes([UInt8])
        /// Counts the requests of the line from a number on.
        case counter(Int64)
        case random(ClosedRange<Int64>)
        case float(Double, Double)
        case uuid
        case text(Int)
        /// One of several texts, which are the inside of JSON strings.
        case pick([[UInt8]])

        var isNumber: Bool {
            switch self {
            case .counter, .random, .float: true
            case .bytes, .uuid, .text, .pick: false
            }
        }
    }

    let source: RawJSON
    private var pieces: [Piece] = []
    /// The params if there are no placeholders; otherwise `nil`.
    private(set) var constant: RawJSON?

    init(constant: RawJSON) { (source, self.constant) = (constant, constant) }

    /// Reads the placeholders in the strings of a value.
    init(_ json: RawJSON) throws {
        source = json
        let bytes = Array(json.bytes)
        var index = 0
        var plain = 0
        var literal: [UInt8] = []
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let end = bytes[index...].endOfString
            if let parts = try Self.parts(bytes[(index + 1)..<(end - 1)]) {
                literal += bytes[plain..<index]
                if parts.count == 1, parts[0].isNumber, !Self.isName(bytes, end) {
                    append(&literal, parts[0])
                } else {
                    literal.append(UInt8(ascii: "\""))
                    for part in parts { append(&literal, part) }
                    literal.append(UInt8(ascii: "\""))
                }
                plain = end
            }
            index = end
        }
        literal += bytes[plain...]
        if pieces.isEmpty {
            constant = try RawJSON(validating: literal)
        } else {
            pieces.append(.bytes(literal))
        }
    }

    private mutating func append(_ literal: inout [UInt8], _ piece: Piece) {
        if case .bytes(let bytes) = piece {
            literal += bytes
        } else {
            pieces.append(.bytes(literal))
            pieces.append(piece)
            literal = []
        }
    }

    /// Returns whether the string before this index is the name of a member.
    private static func isName(_ bytes: [UInt8], _ end: Int) -> Bool {
        let next = bytes[end...].first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        return next == UInt8(ascii: ":")
    }

    /// Returns the parts of the inside of a string; `nil` if it has no placeholder.
    private static func parts(_ inside: ArraySlice<UInt8>) throws -> [Piece]? {
        let (open, close) = (Array("{{".utf8), Array("}}".utf8))
        var rest = inside
        var parts: [Piece] = []
        while let begin = rest.firstRange(of: open) {
            if begin.lowerBound > rest.startIndex { parts.append(.bytes(Array(rest[..<begin.lowerBound]))) }
            rest = rest[begin.upperBound...]
            if rest.starts(with: open) {
                parts.append(.bytes(open))
                rest = rest.dropFirst(2)
                continue
            }
            guard let end = rest.firstRange(of: close) else {
                throw UsageError("A placeholder that begins with {{ does not end with }}. Write {{{{ for a plain {{.")
            }
            parts.append(try placeholder(rest[..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        guard !parts.isEmpty else { return nil }
        if !rest.isEmpty { parts.append(.bytes(Array(rest))) }
        return parts
    }

    // MARK: Placeholders

    private static func placeholder(_ text: ArraySlice<UInt8>) throws -> Piece {
        let text = String(decoding: text, as: UTF8.self)
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).map(String.init)
        let argument = words.count > 1 ? String(FieldText.trimming(words[1][...])) : nil
        switch (words.first, argument) {
        case ("counter", nil): return .counter(1)
        case ("counter", let start?): if let start = Int64(start) { return .counter(start) }
        case ("random", let range?):
            if let (low, high) = bounds(range, Int64.init), low <= high { return .random(low...high) }
        case ("float", let range?):
            if let (low, high) = bounds(range, { Double($0) }), low <= high, (high - low).isFinite {
                return .float(low, high)
            }
        case ("uuid", nil): return .uuid
        case ("text", let length?):
            if let length = Int(length), (1...maximumText).contains(length) { return .text(length) }
        case ("pick", let choices?):
            let choices = choices.split(separator: "|", omittingEmptySubsequences: false)
            return .pick(choices.map { Array($0.utf8) })
        default: break
        }
        throw UsageError("The placeholder {{\(text)}} is invalid. Valid examples are \(placeholders).")
    }

    private static func bounds<Number>(_ text: String, _ number: (String) -> Number?) -> (Number, Number)? {
        let numbers = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard numbers.count == 2, let low = number(numbers[0]), let high = number(numbers[1]) else { return nil }
        return (low, high)
    }

    // MARK: Filling

    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Returns the params of a request. `number` is the number of earlier requests of the same line.
    func fill(number: UInt64, _ random: inout SplitMix64) -> RawJSON {
        var bytes: [UInt8] = []
        for piece in pieces { Self.append(piece, number, &random, to: &bytes) }
        // All pieces of a validated text have been replaced by numbers, or by texts without quotes and backslashes.
        return RawJSON(unchecked: bytes)
    }

    private static func append(_ piece: Piece, _ number: UInt64, _ random: inout SplitMix64, to bytes: inout [UInt8]) {
        switch piece {
        case .bytes(let literal): bytes += literal
        case .counter(let start): bytes += "\(start &+ Int64(truncatingIfNeeded: number))".utf8
        case .random(let range): bytes += "\(Int64.random(in: range, using: &random))".utf8
        case .float(let low, let high): bytes += "\(low + (high - low) * random.unit())".utf8
        case .uuid: appendUUID(&random, to: &bytes)
        case .text(let length):
            for _ in 0..<length { bytes.append(alphabet[Int(random.next() % UInt64(alphabet.count))]) }
        case .pick(let choices): bytes += choices[Int(random.next() % UInt64(choices.count))]
        }
    }

    /// Appends a UUID of version 4 (RFC 9562 §5.4).
    private static func appendUUID(_ random: inout SplitMix64, to bytes: inout [UInt8]) {
        let high = random.next() & ~0xF000 | 0x4000
        let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        for index in 0..<32 {
            if [8, 12, 16, 20].contains(index) { bytes.append(UInt8(ascii: "-")) }
            let half = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - index % 16 * 4)) & 15
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
