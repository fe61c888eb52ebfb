// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The members of an object, as their own bytes and in their order. The object itself is valid JSON already, so the
/// walk only has to find where values end.
struct JSONMembers {
    private(set) var members: [(name: String, value: RawJSON)] = []

    /// Nil when the value is no object.
    ///
    /// - Throws: when a member's name is not a Unicode text.
    init?(_ json: RawJSON) throws {
        guard json.bytes.first == UInt8(ascii: "{") else { return nil }
        var rest = json.bytes.dropFirst().dropLast()
        while true {
            let name = JSONWalk.takeValue(&rest)
            guard !name.isEmpty else { return }
            JSONWalk.skip(UInt8(ascii: ":"), &rest)
            let value = JSONWalk.takeValue(&rest)
            JSONWalk.skip(UInt8(ascii: ","), &rest)
            members.append((try RawJSON(validating: name).decode(as: String.self), try RawJSON(validating: value)))
        }
    }

    /// The values of a member; more than one where a name is repeated.
    subscript(_ name: String) -> [RawJSON] {
        members.filter { $0.name == name }.map(\.value)
    }
}

/// The elements of an array, as their own bytes.
struct JSONElements {
    private(set) var elements: [RawJSON] = []

    /// Nil when the value is no array.
    init?(_ json: RawJSON) throws {
        guard json.bytes.first == UInt8(ascii: "[") else { return nil }
        var rest = json.bytes.dropFirst().dropLast()
        while true {
            let element = JSONWalk.takeValue(&rest)
            guard !element.isEmpty else { return }
            JSONWalk.skip(UInt8(ascii: ","), &rest)
            elements.append(try RawJSON(validating: element))
        }
    }
}

/// Steps through the inside of an array or object that is known to be valid.
private enum JSONWalk {
    static func skip(_ mark: UInt8, _ rest: inout ArraySlice<UInt8>) {
        while let byte = rest.first, byte == mark || isSpace(byte) { rest.removeFirst() }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Takes everything up to the comma, colon or end which belongs to this level.
    static func takeValue(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        while let byte = rest.first, isSpace(byte) { rest.removeFirst() }
        var depth = 0
        var isInString = false
        var isEscaped = false
        var end = rest.startIndex
        scan: while end < rest.endIndex {
            let byte = rest[end]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ","), UInt8(ascii: ":"): if depth == 0 { break scan }
                default: break
                }
            }
            end += 1
        }
        let value = rest[rest.startIndex..<end]
        rest = rest[end...]
        return value
    }
}
