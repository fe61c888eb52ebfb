// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A rule that makes the names in documents from the names in a schema.
///
/// Words begin at a capital letter after a small letter or a digit, and at the last of several capital letters before a
/// small one: `mainTag` has two words, `htmlURLOfTag` four. Only ASCII letters are changed.
public struct KeyStrategy: Sendable {
    private let transform: @Sendable (String) -> String

    /// Creates a strategy from a function that returns the name in documents for a name in a schema.
    public static func custom(_ transform: @escaping @Sendable (String) -> String) -> KeyStrategy {
        KeyStrategy(transform: transform)
    }

    /// The names stay as they are. This is the default.
    public static let asIs = KeyStrategy { $0 }
    /// `main-tag`.
    public static let kebab = KeyStrategy { words(of: $0).joined(separator: "-") }
    /// `main_tag`.
    public static let snake = KeyStrategy { words(of: $0).joined(separator: "_") }
    /// `mainTag`, also from `main_tag` and `main-tag`.
    public static let camel = KeyStrategy { name in
        words(of: name).enumerated().map { $0 == 0 ? $1 : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
    }

    /// Returns the name in documents.
    public func callAsFunction(_ name: String) -> String { transform(name) }

    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        let characters = Array(name.unicodeScalars)
        for (index, character) in characters.enumerated() {
            if character == "-" || character == "_" || character == " " {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            if isCapital(character), index > 0, !word.isEmpty {
                let followsSmall = !isCapital(characters[index - 1])
                let precedesSmall = index + 1 < characters.count && isSmall(characters[index + 1])
                if followsSmall || precedesSmall {
                    words.append(word)
                    word = ""
                }
            }
            word += isCapital(character) ? String(character).lowercased() : String(character)
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    private static func isCapital(_ character: Unicode.Scalar) -> Bool { ("A"..."Z").contains(character) }
    private static func isSmall(_ character: Unicode.Scalar) -> Bool { ("a"..."z").contains(character) }
}
