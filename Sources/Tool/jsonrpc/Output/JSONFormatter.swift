// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

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
    /// True for output that people read: characters that would control a terminal are escaped as `\uXXXX`, and escapes of
    /// other characters are replaced by the characters.
    var escapesControls = false
    /// True to color names, strings and other values with escape sequences.
    var colors = false

    /// Returns the value in this style, without a final line feed.
    func format(_ json: RawJSON) -> [UInt8] { format(valid: json.bytes) }

    /// Does the same for bytes that are known to be valid JSON.
    func format(valid json: some Collection<UInt8>) -> [UInt8] {
        let json = escapesControls ? JSONEscapes.replaced(in: TerminalText.json(json)) : Array(json)
        var layout = Layout(style: style, palette: colors ? .standard : nil)
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
        let end = endOfString(rest)
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    /// Returns the index after the closing quote of a string that begins valid JSON.
    static func endOfString(_ json: ArraySlice<UInt8>) -> Int {
        var end = json.startIndex + 1
        while end < json.endIndex, json[end] != UInt8(ascii: "\"") {
            end += json[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(end + 1, json.endIndex)
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

private struct Palette {
    var name = "\u{1B}[34m"
    var string = "\u{1B}[32m"
    var literal = "\u{1B}[33m"
    var reset = "\u{1B}[0m"

    static let standard = Palette()
}

/// Writes the tokens of a value in order, with the white space between them.
private struct Layout {
    let style: JSONFormatter.Style
    let palette: Palette?
    var output: [UInt8] = []
    private var depth = 0
    /// True while the last opened array or object is empty.
    private var isFresh = false
    /// For each open bracket, true if it belongs to an object.
    private var areObjects: [Bool] = []
    /// True if the next string is the name of a member.
    private var expectsName = false

    init(style: JSONFormatter.Style, palette: Palette?) {
        self.style = style
        self.palette = palette
    }

    mutating func string(_ bytes: ArraySlice<UInt8>) {
        startValue()
        write(bytes, expectsName ? palette?.name : palette?.string)
    }

    mutating func literal(_ bytes: ArraySlice<UInt8>) {
        startValue()
        write(bytes, palette?.literal)
    }

    mutating func mark(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            startValue()
            output.append(byte)
            depth += 1
            isFresh = true
            areObjects.append(byte == UInt8(ascii: "{"))
            expectsName = byte == UInt8(ascii: "{")
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if !isFresh { breakLine() }
            output.append(byte)
            isFresh = false
            _ = areObjects.popLast()
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
        output.append(contentsOf: repeatElement(0x20, count: 2 * max(depth, 0)))
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, _ color: String?) {
        guard let color, let palette else { return output.append(contentsOf: bytes) }
        output.append(contentsOf: color.utf8)
        output.append(contentsOf: bytes)
        output.append(contentsOf: palette.reset.utf8)
    }
}
