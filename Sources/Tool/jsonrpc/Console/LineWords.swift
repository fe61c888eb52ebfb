// swift-jsonrpc · SPDX-License-Identifier: MIT

import ToolSupport

/// Splits a line of the prompt into words.
///
/// Blanks separate words. A JSON object, array or string is one word, with its blanks, also after `name=`. Single
/// quotes keep blanks in a word, as in a shell.
enum LineWords {
    static func split(_ line: String) throws -> [String] {
        var words: [String] = []
        var rest = Array(line.utf8)[...]
        while true {
            rest = rest.drop(while: isBlank)
            guard !rest.isEmpty else { return words }
            words.append(try takeWord(&rest))
        }
    }

    private static func takeWord(_ rest: inout ArraySlice<UInt8>) throws -> String {
        var word: [UInt8] = []
        // True where a JSON value can begin.
        var isBegin = true
        while let byte = rest.first, !isBlank(byte) {
            switch byte {
            case UInt8(ascii: "'"):
                word += try takeQuoted(&rest)
                isBegin = false
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
                word += isBegin ? try takeJSON(&rest) : [rest.removeFirst()]
                isBegin = false
            default:
                isBegin = byte == UInt8(ascii: "=") && ParamWords.isName(String(decoding: word, as: UTF8.self)[...])
                word.append(rest.removeFirst())
            }
        }
        return String(decoding: word, as: UTF8.self)
    }

    /// Removes a text in single quotes and returns it without them.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        let text = rest.dropFirst()
        guard let end = text.firstIndex(of: UInt8(ascii: "'")) else {
            throw UsageError("A single quote has no end: \(String(decoding: rest, as: UTF8.self)).")
        }
        rest = text[(end + 1)...]
        return text[..<end]
    }

    /// Removes the bytes from a bracket or quote to its counterpart and returns them.
    private static func takeJSON(_ rest: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for index in rest.indices {
            let byte = rest[index]
            if isEscaped {
                isEscaped = false
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
                isInString = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
            if depth <= 0, !isInString {
                defer { rest = rest[(index + 1)...] }
                return rest[...index]
            }
        }
        throw UsageError("A JSON value has no end: \(String(decoding: rest, as: UTF8.self)).")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
