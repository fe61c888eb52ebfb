// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A JSON Pointer (RFC 6901): the path to a value in a JSON document.
public struct JSONPointer: Sendable, Hashable {
    /// The names of members and the indexes of elements from the root to the value. It is empty for the root.
    public var tokens: [String]

    /// Creates a pointer from unescaped tokens.
    public init(_ tokens: [String] = []) { self.tokens = tokens }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as text: each token follows a slash, `~` is written as `~0`, and `/` as `~1`.
    public var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            for character in token.unicodeScalars {
                switch character {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(character)
                }
            }
        }
        return text
    }

    /// Parses a pointer: empty, or with a slash before each token. Each `~` needs a `0` or `1` after it.
    public init?(parsing text: String) {
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { return nil }
        self.init()
        for part in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let pieces = part.split(separator: "~", omittingEmptySubsequences: false)
            var token = String(pieces[0])
            for piece in pieces.dropFirst() {
                switch piece.first {
                case "0": token += "~"
                case "1": token += "/"
                default: return nil
                }
                token += String(piece.dropFirst())
            }
            tokens.append(token)
        }
    }

    /// Returns the array index of a token (RFC 6901 §4): digits without leading zeros. It is `nil` for other tokens,
    /// and for numbers that `Int` cannot represent.
    package static func index(_ token: String) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isCanonical = token == "0" || token.utf8.first != UInt8(ascii: "0")
        return isCanonical && token.utf8.allSatisfy(digits.contains) ? Int(token) : nil
    }
}
