// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

/// The value of `--call`: a method and the words of its params.
///
/// ``CommandLineWords`` joins them with ``separator``, so that the parser sees one value for each `--call`.
struct CallOption: Equatable, Sendable, ExpressibleByArgument {
    /// The character between the words. Arguments of a process cannot contain it.
    static let separator: Character = "\0"

    var method: String
    var words: [String]

    init(method: String, words: [String]) {
        self.method = method
        self.words = words
    }

    init?(argument: String) {
        let words = argument.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
        guard let method = words.first, !method.isEmpty else { return nil }
        self.method = method
        self.words = Array(words.dropFirst())
    }

    /// Returns the params: a single word that is a JSON array or object, or words as for the command `call`.
    ///
    /// - Throws: ``UsageError`` if a word cannot be read.
    func params() throws -> RawJSON? {
        if words.count == 1, let json = try? RawJSON(validating: words[0]),
            json.bytes.first == UInt8(ascii: "[") || json.bytes.first == UInt8(ascii: "{")
        {
            return json
        }
        return try ParamWords.params(words)
    }
}
