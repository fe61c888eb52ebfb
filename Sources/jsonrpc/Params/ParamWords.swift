// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Turns the PARAM words of a command line into the params of a request.
///
/// A word is JSON, or `name=value`, or else a string by itself. What begins like JSON and is none is refused, so that
/// a slip of the pen is not sent as a string.
enum ParamWords {
    /// The params: nil for no words, an object when the words are `name=value`, else an array.
    ///
    /// - Throws: ``UsageError``.
    static func params(_ words: [String]) throws -> RawJSON? {
        guard !words.isEmpty else { return nil }
        var positional: [RawJSON] = []
        var named: [(name: String, value: RawJSON)] = []
        for word in words {
            switch try classify(word) {
            case .value(let value): positional.append(value)
            case .named(let name, let value):
                guard !named.contains(where: { $0.name == name }) else {
                    throw UsageError("The param '\(name)' is given twice.")
                }
                named.append((name, value))
            }
        }
        guard positional.isEmpty || named.isEmpty else {
            throw UsageError(
                "Params are by position or by name, not both: '\(named[0].name)=…' stands beside params without a name."
                    + " To send it as a string, write it in JSON quotes: '\"\(named[0].name)=…\"'.")
        }
        return try named.isEmpty ? array(positional) : object(named)
    }

    enum Word: Equatable {
        case value(RawJSON)
        case named(String, RawJSON)
    }

    /// What one word stands for.
    static func classify(_ word: String) throws -> Word {
        let word = CommandLineWords.unmarked(word)
        if let equals = word.firstIndex(of: "="), isName(word[..<equals]) {
            return .named(String(word[..<equals]), try value(String(word[word.index(after: equals)...])))
        }
        return .value(try value(word))
    }

    /// A value as JSON, or as a string when it is a bare word.
    static func value(_ word: String) throws -> RawJSON {
        do {
            return try RawJSON(validating: word)
        } catch {
            let begin = word.drop { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
            if let first = begin.first, first == "{" || first == "[" || first == "\"" {
                throw UsageError("'\(word)' begins like JSON. \(error)")
            }
            var bytes: [UInt8] = []
            JSONText.writeString(word, into: &bytes)
            return try RawJSON(validating: bytes)
        }
    }

    /// `{"name":value,…}`.
    static func object(_ members: [(name: String, value: RawJSON)]) throws -> RawJSON {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.writeString(member.name, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: member.value.bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return try RawJSON(validating: bytes)
    }

    private static func array(_ elements: [RawJSON]) throws -> RawJSON {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: element.bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        return try RawJSON(validating: bytes)
    }

    /// Names in `name=value` are identifiers, so that `http://host/?a=b` stays a string.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$")
    }
}
