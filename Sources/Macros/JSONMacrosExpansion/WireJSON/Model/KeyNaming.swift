// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rule for the names of members.
public enum KeyNaming: String {
    case asIs, snakeCase

    /// Returns the name of a member.
    public func name(_ name: String) -> String {
        switch self {
        case .asIs: name
        case .snakeCase: Self.snakeCase(name)
        }
    }

    /// A word begins at a capital. In a run of capitals, it begins at the last one if a lower-case letter follows.
    private static func snakeCase(_ name: String) -> String {
        let characters = Array(name)
        var words: [ArraySlice<Character>] = []
        var start = 0
        var search = min(1, characters.count)
        while let capital = characters[search...].firstIndex(where: \.isUppercase) {
            words.append(characters[start..<capital])
            start = capital
            guard let small = characters[capital...].firstIndex(where: \.isLowercase) else { break }
            if small > capital + 1 {
                words.append(characters[capital..<(small - 1)])
                start = small - 1
            }
            search = small
        }
        words.append(characters[start...])
        return words.map { String($0).lowercased() }.joined(separator: "_")
    }
}
