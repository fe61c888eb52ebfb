// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The place of a value in a JSON document (RFC 6901).
public struct JSONPointer: Sendable, Hashable {
    /// The names of members and the indexes of elements, from the root to the value. It is empty for the whole document.
    public var tokens: [String]

    /// Creates a pointer from unescaped tokens.
    public init(_ tokens: [String] = []) {
        self.tokens = tokens
    }
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
}
