// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONScanner {
    /// An array or object that is being read.
    private struct OpenContainer {
        var isObject: Bool
        var elements: [JSONValue] = []
        var object = JSONObject()
        /// The name of the member being read.
        var name = ""
    }

    /// Reads one value as a tree, without recursion. Of members with the same name the last counts.
    mutating func readValue() throws(ScanFault) -> JSONValue {
        var outer: [OpenContainer] = []
        var current: OpenContainer?
        while true {
            var value: JSONValue
            if position < end, bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "[") {
                let depth = outer.count + (current == nil ? 0 : 1)
                var opened = try open(depth: depth)
                if take(opened.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    value = opened.isObject ? .object(opened.object) : .array([])
                } else {
                    if opened.isObject { opened.name = try readName() }
                    if let open = current.take() { outer.append(open) }
                    current = opened
                    continue
                }
            } else {
                value = try readScalar()
            }
            // Add the value to the container around it, and end containers until another value must follow.
            while true {
                guard var container = current.take() else { return value }
                if container.isObject {
                    container.object.set(container.name, value)
                } else {
                    container.elements.append(value)
                }
                skipWhitespace()
                if take(UInt8(ascii: ",")) {
                    skipWhitespace()
                    if container.isObject { container.name = try readName() }
                    current = container
                    break
                }
                guard take(container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw fault(.expectedCommaOrEnd)
                }
                value = container.isObject ? .object(container.object) : .array(container.elements)
                current = outer.popLast()
            }
        }
    }

    private mutating func open(depth: Int) throws(ScanFault) -> OpenContainer {
        guard depth < maximumDepth else { throw ScanFault(.nestingTooDeep, at: position) }
        let isObject = bytes[position] == UInt8(ascii: "{")
        position += 1
        skipWhitespace()
        return OpenContainer(isObject: isObject)
    }

    private mutating func readName() throws(ScanFault) -> String {
        try StringContent.string(bytes, try scanMemberName())
    }

    /// Reads a string, number or literal.
    private mutating func readScalar() throws(ScanFault) -> JSONValue {
        guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
        let start = position
        switch bytes[position] {
        case UInt8(ascii: "\""):
            position += 1
            let isEscaped = try scanString()
            let content = ScannedString(range: (start + 1)..<(position - 1), isEscaped: isEscaped)
            return .string(try StringContent.string(bytes, content))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let isInteger = try scanNumber()
            return .number(JSONNumber(bytes, start..<position, isInteger: isInteger))
        default:
            try scanLiteral()
            switch bytes[start] {
            case UInt8(ascii: "t"): return .bool(true)
            case UInt8(ascii: "f"): return .bool(false)
            default: return .null
            }
        }
    }
}
