// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONScanner {
    /// An array or object that is being read.
    private struct OpenContainer {
        var isObject: Bool
        var elements: [JSONValue] = []
        var object = JSONObject()
        var marks = NameMarks()
        /// Whether the object may already have the current name.
        var mayRepeat = false
        var hasEscapes = false

        @inline(__always)
        mutating func add(_ value: JSONValue) {
            if !isObject {
                elements.append(value)
            } else if mayRepeat {
                object[name] = value
            } else {
                object.append(name, value)
            }
        }
        var name = ""
    }

    /// Reads one value as a tree, without recursion. If a name is repeated, the last member wins.
    mutating func readValue() throws(ScanFault) -> JSONValue {
        var open = Stack<OpenContainer>()
        while true {
            var value: JSONValue
            if position < end, unsafe bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "[") {
                let isObject = unsafe bytes[position] == UInt8(ascii: "{")
                guard open.count < maximumDepth else { throw ScanFault(.nestingTooDeep, at: position) }
                position += 1
                skipWhitespace()
                if take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    value = isObject ? .object(JSONObject()) : .array([])
                } else {
                    open.append(OpenContainer(isObject: isObject))
                    if isObject { try readName(of: &open[open.count - 1]) }
                    continue
                }
            } else {
                value = try readScalar()
            }
            // Add the value to its container, and end containers until another value must follow.
            while true {
                if open.count == 0 { return value }
                let top = open.count - 1
                open[top].add(value)
                skipWhitespace()
                let isObject = open[top].isObject
                if take(UInt8(ascii: ",")) {
                    skipWhitespace()
                    if isObject { try readName(of: &open[top]) }
                    break
                }
                guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw fault(.expectedCommaOrEnd)
                }
                value = isObject ? .object(open[top].object) : .array(open[top].elements)
                open.removeAll(above: top)
            }
        }
    }

    @inline(__always)
    private mutating func readName(of container: inout OpenContainer) throws(ScanFault) {
        let content = try scanMemberName()
        container.name = try string(content)
        let isMarked = unsafe container.marks.insert(utf8(content.range))
        // After a name with escapes, no mark is conclusive, because marks are made from the undecoded text.
        if content.isEscaped { container.hasEscapes = true }
        container.mayRepeat = isMarked || container.hasEscapes
    }

    private mutating func readScalar() throws(ScanFault) -> JSONValue {
        guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
        let start = position
        switch unsafe bytes[position] {
        case UInt8(ascii: "\""):
            position += 1
            let isEscaped = try scanString()
            return .string(try string(ScannedString(from: start + 1, quotedTo: position, isEscaped: isEscaped)))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let isInteger = try scanNumber()
            return .number(number(start..<position, isInteger: isInteger))
        default:
            try scanLiteral()
            switch unsafe bytes[start] {
            case UInt8(ascii: "t"): return .bool(true)
            case UInt8(ascii: "f"): return .bool(false)
            default: return .null
            }
        }
    }
}
