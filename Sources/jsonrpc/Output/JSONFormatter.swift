// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Lays out a JSON value for reading, or on one line. Numbers, strings and the order of members stay byte for byte as
/// they came.
struct JSONFormatter: Equatable {
    enum Style: Equatable {
        /// One member or element a line, two spaces for each level.
        case pretty
        /// No white space outside strings.
        case compact
    }

    var style: Style
    /// True for a terminal: characters that it would act on are written as `\uXXXX`.
    var escapesControls = false
    /// True to colour names, strings and other values with escape sequences.
    var colors = false

    /// The value in this style, without a line feed at its end.
    func format(_ json: RawJSON) -> [UInt8] { format(valid: json.bytes) }

    /// The same for bytes that are known to be valid JSON.
    func format(valid json: some Collection<UInt8>) -> [UInt8] {
        let json = escapesControls ? TerminalText.json(json) : Array(json)
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
        var end = rest.startIndex + 1
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        end = min(end + 1, rest.endIndex)
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

/// The escape sequences for the parts of a value.
private struct Palette {
    var name = "\u{1B}[34m"
    var string = "\u{1B}[32m"
    var literal = "\u{1B}[33m"
    var reset = "\u{1B}[0m"

    static let standard = Palette()
}

/// Writes the parts of a value one after the other, with the white space between them.
private struct Layout {
    let style: JSONFormatter.Style
    let palette: Palette?
    var output: [UInt8] = []
    private var depth = 0
    /// True while nothing has followed the bracket that was opened last.
    private var isFresh = false
    /// For each open bracket, whether it is an object's.
    private var areObjects: [Bool] = []
    /// True where an object's next string is a member's name.
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
