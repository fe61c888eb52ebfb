// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

enum ShellWord {
    /// Returns a word as a shell reads it: in single quotes unless it is plain.
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { FieldText.isLetterOrDigit($0) || "_-./:=@%+,".utf8.contains($0) }
        return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
