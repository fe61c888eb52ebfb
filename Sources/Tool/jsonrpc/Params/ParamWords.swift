// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import JSONRPCWebSocket
import ToolSupport

/// Converts the param words of a command line to the params of a request.
///
/// A word is JSON or `name=value`; any other word is a string. A word that begins like JSON but is invalid is refused,
/// so that a typing error is not sent as a string.
enum ParamWords {
    /// Returns the params: `nil` for no words, an object if the words are `name=value`, else an array.
    static func params(_ words: [String]) throws -> RawJSON? {
        guard !words.isEmpty else { return nil }
        var positional: [RawJSON] = []
        var named: [(name: String, value: RawJSON)] = []
        for word in words.map(CommandLineWords.unmarked) {
            guard let equals = word.firstIndex(of: "="), isName(word[..<equals]) else {
                positional.append(try value(word))
                continue
            }
            let (name, value) = (String(word[..<equals]), try value(String(word[word.index(after: equals)...])))
            guard !named.contains(where: { $0.name == name }) else {
                throw UsageError("The param '\(name)' is given twice. Give it once.")
            }
            named.append((name, value))
        }
        guard positional.isEmpty || named.isEmpty else {
            throw UsageError(
                "Cannot mix params by name and by position: '\(named[0].name)=…' has a name, other params have none."
                    + " To send it as a string, write it in JSON quotes: '\"\(named[0].name)=…\"'.")
        }
        // Each word may be nested as deep as possible, and the params one level deeper.
        return try RawJSON(
            validating: (named.isEmpty ? RawJSON(elements: positional) : RawJSON(members: named)).bytes)
    }

    /// Parses a value: JSON, or a word for a string.
    static func value(_ word: String) throws -> RawJSON {
        do {
            return try RawJSON(validating: word)
        } catch {
            let begin = word.drop { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
            if let first = begin.first, first == "{" || first == "[" || first == "\"" {
                throw UsageError(
                    "Could not read '\(word)' as JSON. \(error) "
                        + "A value that begins with {, [ or \" must be valid JSON.")
            }
            return try RawJSON(encoding: word)
        }
    }

    /// Returns whether a text can be the name in `name=value`. Names are identifiers, so `http://host/?a=b` is a
    /// string.
    static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, FieldText.isLetter(first) || "_$".utf8.contains(first) else { return false }
        return text.utf8.allSatisfy { FieldText.isLetterOrDigit($0) || "_$-.".utf8.contains($0) }
    }
}
