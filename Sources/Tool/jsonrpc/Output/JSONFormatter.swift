// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import JSONRPCWebSocket
import ToolSupport

/// Formats a JSON value with indents or on one line. It changes no byte of numbers and strings, and keeps the order of
/// members.
struct JSONFormatter: Equatable {
    enum Style: Equatable {
        /// One member or element per line, indented by two spaces per level.
        case pretty
        /// No white space outside strings.
        case compact
    }

    var style: Style
    /// True for readable output: characters that would control a terminal are escaped as `\uXXXX`, and escapes of other
    /// characters are replaced by the characters.
    var escapesControls = false
    /// True to color names, strings and other values with escape sequences.
    var colors = false

    /// Returns the value in this style, without a final line feed.
    func format(_ json: RawJSON) -> [UInt8] { format(valid: json.bytes) }

    /// Does the same for bytes that are known to be valid JSON.
    func format(valid json: some Collection<UInt8>) -> [UInt8] {
        let json = escapesControls ? JSONEscapes.replaced(in: TerminalText.json(Array(json))) : Array(json)
        var layout = Layout(style: style, colors: colors)
        layout.output.reserveCapacity(json.count + json.count / 2)
        var rest = json[...]
        while let byte = rest.first {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: rest = rest.dropFirst()
            case UInt8(ascii: "\""): layout.string(Self.takeString(&rest))
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","),
                UInt8(ascii: ":"):
                layout.mark(byte)
                rest = rest.dropFirst()
            default: layout.literal(Self.takeLiteral(&rest))
            }
        }
        return layout.output
    }

    private static func takeString(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = rest.endOfString
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    private static func takeLiteral(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = rest.firstIndex { byte in
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): true
            default: false
            }
        }
        defer { rest = rest[(end ?? rest.endIndex)...] }
        return rest[..<(end ?? rest.endIndex)]
    }
}

extension RawJSON {
    /// The value without white space outside strings.
    var compact: RawJSON { RawJSON(unchecked: JSONFormatter(style: .compact).format(self)) }
}

private enum Color: String {
    case name = "\u{1B}[34m"
    case string = "\u{1B}[32m"
    case literal = "\u{1B}[33m"
    case reset = "\u{1B}[0m"
}

/// Writes the tokens of a value in order, with the white space between them.
private struct Layout {
    let style: JSONFormatter.Style
    let colors: Bool
    var output: [UInt8] = []
    /// True while the last opened array or object is empty.
    private var isFresh = false
    /// For each open bracket, true if it belongs to an object.
    private var areObjects: [Bool] = []
    /// True if the next string is the name of a member.
    private var expectsName = false

    init(style: JSONFormatter.Style, colors: Bool) { (self.style, self.colors) = (style, colors) }

    mutating func string(_ bytes: ArraySlice<UInt8>) {
        startValue()
        write(bytes, expectsName ? .name : .string)
    }

    mutating func literal(_ bytes: ArraySlice<UInt8>) {
        startValue()
        write(bytes, .literal)
    }

    mutating func mark(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            startValue()
            output.append(byte)
            isFresh = true
            areObjects.append(byte == UInt8(ascii: "{"))
            expectsName = byte == UInt8(ascii: "{")
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            _ = areObjects.popLast()
            if !isFresh { breakLine() }
            output.append(byte)
            isFresh = false
        case UInt8(ascii: ","):
            output.append(byte)
            breakLine()
            expectsName = areObjects.last ?? false
        default:
            output.append(byte)
            if style == .pretty { output.append(0x20) }
            expectsName = false
        }
    }

    private mutating func startValue() {
        guard isFresh else { return }
        breakLine()
        isFresh = false
    }

    private mutating func breakLine() {
        guard style == .pretty else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: 2 * areObjects.count))
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, _ color: Color) {
        if colors { output.append(contentsOf: color.rawValue.utf8) }
        output.append(contentsOf: bytes)
        if colors { output.append(contentsOf: Color.reset.rawValue.utf8) }
    }
}

/// Replaces the escapes of JSON strings by the characters, for people: `\u00e9` by `é`.
enum JSONEscapes {
    /// Returns the same JSON with the characters of escapes outside ASCII. Characters that are invisible or could
    /// control a terminal stay escaped, and so do halves of surrogate pairs.
    static func replaced(in json: [UInt8]) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        guard json.contains(backslash) else { return json }
        var output: [UInt8] = []
        output.reserveCapacity(json.count)
        var rest = json[...]
        while let byte = rest.first {
            guard byte == backslash else {
                output.append(byte)
                rest.removeFirst()
                continue
            }
            if let (scalar, length) = scalar(at: rest), isVisible(scalar) {
                output.append(contentsOf: String(scalar).utf8)
                rest.removeFirst(length)
            } else {
                // Also the second backslash of an escaped backslash.
                output.append(contentsOf: rest.prefix(2))
                rest.removeFirst(min(2, rest.count))
            }
        }
        return output
    }

    /// Returns the character of the escape at the beginning, and the length of the escape.
    private static func scalar(at bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, length: Int)? {
        guard let high = unit(at: bytes) else { return nil }
        if let scalar = Unicode.Scalar(UInt32(high)) { return (scalar, 6) }
        guard let low = unit(at: bytes.dropFirst(6)), UTF16.isLeadSurrogate(high), UTF16.isTrailSurrogate(low) else {
            return nil
        }
        return (UTF16.decode(UTF16.EncodedScalar([high, low])), 12)
    }

    private static func unit(at bytes: ArraySlice<UInt8>) -> UInt16? {
        let escape = bytes.prefix(6)
        guard escape.count == 6, escape.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return nil }
        return UInt16(String(decoding: escape.dropFirst(2), as: UTF8.self), radix: 16)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0xA0 && !TerminalText.isUnsafe(scalar) && scalar.isPrintable
    }
}
