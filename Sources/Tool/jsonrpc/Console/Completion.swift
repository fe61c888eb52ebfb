// swift-jsonrpc · SPDX-License-Identifier: MIT

struct Completion: Equatable {
    var insertion = ""
    /// The possible words, sorted, if there are several.
    var candidates: [String] = []

    static func complete(_ line: String, methods: [String]) -> Completion {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let word = String(words.last ?? "")
        let before = words.dropLast().filter { !$0.isEmpty }
        let possible = Set(possibleWords(after: before.map(String.init), word, methods)).filter { $0.hasPrefix(word) }
        guard let first = possible.first else { return Completion() }
        if possible.count == 1 { return Completion(insertion: first.dropFirst(word.count) + " ") }
        let common = possible.dropFirst().reduce(first) { String(zip($0, $1).prefix { $0 == $1 }.map(\.0)) }
        return Completion(insertion: String(common.dropFirst(word.count)), candidates: possible.sorted())
    }

    private static func possibleWords(after words: [String], _ word: String, _ methods: [String]) -> [String] {
        switch words {
        case []: word.hasPrefix(":") ? PromptCommand.allCases.map { ":\($0.rawValue)" } : methods
        case [":notify"], [":call"]: methods
        case [":raw"]: ["on", "off"]
        default: []
        }
    }

    /// Returns the candidates in columns. A last line counts those beyond the maximum.
    static func list(_ candidates: [String], columns: Int, maximumCount: Int = 100) -> [String] {
        let shown = candidates.prefix(maximumCount)
        let width = (shown.map(\.count).max() ?? 0) + 2
        let perLine = max(1, columns / width)
        var lines = stride(from: 0, to: shown.count, by: perLine).map { start in
            shown[start..<min(start + perLine, shown.count)].enumerated().map { index, word in
                index == perLine - 1 ? word : word + String(repeating: " ", count: width - word.count)
            }.joined()
        }
        if shown.count < candidates.count { lines.append("… and \(candidates.count - shown.count) more") }
        return lines.map { line in String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)]) }
    }
}
