// swift-jsonrpc · SPDX-License-Identifier: MIT

enum SimilarWord {
    /// Returns the most similar word: at most two letters differ, and fewer than half of them. `nil` if there is none.
    static func find(_ word: String, among words: [String]) -> String? {
        words.map { (word: $0, distance: distance($0, word)) }
            .filter { $0.distance <= 2 && 2 * $0.distance < max($0.word.count, word.count) }
            .min { $0.distance < $1.distance }?.word
    }

    /// Returns the Levenshtein distance: the number of letters to insert, remove or replace.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}
