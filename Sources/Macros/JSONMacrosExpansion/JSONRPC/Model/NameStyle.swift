// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The `RPCNaming` of an attribute.
enum NameStyle {
    enum Standard: String {
        case asWritten, snakeCase, kebabCase, upperCamelCase
    }

    case standard(Standard)
    /// A function of the user, called at run time.
    case custom(String)

    func name(_ name: String, prefix: String = "") -> RPCName {
        switch self {
        case .standard(.asWritten): .literal(prefix + name)
        case .standard(.snakeCase): .literal(prefix + Self.words(name).joined(separator: "_"))
        case .standard(.kebabCase): .literal(prefix + Self.words(name).joined(separator: "-"))
        case .standard(.upperCamelCase): .literal(prefix + name.prefix(1).uppercased() + name.dropFirst())
        case .custom(let function): .mapped(prefix: prefix, name: name, function: function)
        }
    }

    /// Splits a camel-case name into lower-case words. In a run of capitals, the last one begins the next word:
    /// `parseURLText` becomes `parse`, `url`, `text`. Underscores separate words, and stay at both ends of the name.
    static func words(_ name: String) -> [String] {
        let characters = Array(name)
        var words: [String] = []
        var word = ""
        for (index, character) in characters.enumerated() {
            if character.isUppercase, !word.isEmpty {
                let follows = index > 0 && characters[index - 1].isUppercase
                let leads = index + 1 < characters.count && characters[index + 1].isLowercase
                if !follows || leads {
                    words.append(word)
                    word = ""
                }
            }
            word += character.lowercased()
        }
        if !word.isEmpty { words.append(word) }
        return words.enumerated().map { index, word in
            // `a_B` already has a separator.
            index + 1 < words.count && word.count > 1 && word.hasSuffix("_") ? String(word.dropLast()) : word
        }
    }
}
