// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The members of an object, in order and with their original bytes.
///
/// The object is known to be valid JSON, so the walk only looks for the ends of values.
struct JSONMembers {
    private(set) var members: [(name: String, value: RawJSON)] = []

    /// Reads the members; `nil` if the value is not an object.
    ///
    /// - Throws: A coding error if the name of a member is not valid Unicode.
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

    /// The values of a member. There are several if the name is repeated.
    subscript(_ name: String) -> [RawJSON] {
        members.filter { $0.name == name }.map(\.value)
    }
}

/// The elements of an array, in order and with their original bytes.
struct JSONElements {
    private(set) var elements: [RawJSON] = []

    /// Reads the elements; `nil` if the value is not an array.
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

/// Finds values inside an array or object that is known to be valid.
private enum JSONWalk {
    static func skip(_ mark: UInt8, _ rest: inout ArraySlice<UInt8>) {
        while let byte = rest.first, byte == mark || isSpace(byte) { rest.removeFirst() }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Removes and returns the bytes up to the next comma or colon of this level, or the end.
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
