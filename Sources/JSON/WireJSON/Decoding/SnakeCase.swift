// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Converts names between `oneTwoThree` and `one_two_three` as Foundation's coders do.
enum SnakeCase {
    static func camelCase(_ name: String) -> String {
        guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" })
        else { return name }
        let core = name[first...last]
        let words = core.split(separator: "_")
        let joined =
            words.count == 1 ? String(core) : words[0].lowercased() + words[1...].map(capitalized).joined()
        return name[..<first] + joined + name[name.index(after: last)...]
    }

    private static func capitalized(_ word: Substring) -> String {
        word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }

    static func snakeCase(_ name: String) -> String {
        guard !name.isEmpty else { return name }
        var words: [Range<String.Index>] = []
        var wordStart = name.startIndex
        var search = name.index(after: wordStart)..<name.endIndex
        // A word ends before an upper-case letter. A run of upper-case letters ends before its last letter if a
        // lower-case letter follows: `myURLProperty` is `my_url_property`.
        while let upper = name[search].firstIndex(where: \.isUppercase) {
            words.append(wordStart..<upper)
            search = upper..<search.upperBound
            guard let lower = name[search].firstIndex(where: \.isLowercase) else {
                wordStart = search.lowerBound
                break
            }
            let afterCapital = name.index(after: upper)
            if lower == afterCapital {
                wordStart = upper
            } else {
                let beforeLower = name.index(before: lower)
                words.append(upper..<beforeLower)
                wordStart = beforeLower
            }
            search = lower..<search.upperBound
        }
        words.append(wordStart..<search.upperBound)
        return words.map { name[$0].lowercased() }.joined(separator: "_")
    }
}
