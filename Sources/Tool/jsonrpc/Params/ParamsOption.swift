// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import ToolSupport

/// The value of `--params`: the JSON itself, `@FILE`, or `-` for standard input.
enum ParamsOption: Equatable {
    case literal(String)
    case file(String)
    case standardInput

    init(_ argument: String) {
        let argument = CommandLineWords.unmarked(argument)
        if argument == "-" || argument == "@-" {
            self = .standardInput
        } else if argument.hasPrefix("@") {
            self = .file(String(argument.dropFirst()))
        } else {
            self = .literal(argument)
        }
    }

    /// The name of the source in error messages.
    var source: String {
        switch self {
        case .literal: "--params"
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }

    func read() throws -> RawJSON {
        let bytes: [UInt8]
        switch self {
        case .literal(let text): bytes = Array(text.utf8)
        case .file(let path): bytes = try FileBytes.contents(of: path)
        case .standardInput: bytes = try FileBytes.standardInput()
        }
        let json: RawJSON
        do {
            json = try RawJSON(validating: bytes)
        } catch {
            throw UsageError("Could not read the params from \(source). \(error)")
        }
        guard json.bytes.first == UInt8(ascii: "{") || json.bytes.first == UInt8(ascii: "[") else {
            let start = TerminalText.summary(json.text, maximumCharacters: 80)
            throw UsageError(
                "The params from \(source) must be a JSON array or object (JSON-RPC 2.0 §4.2), not \(start).")
        }
        return json
    }
}

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

    /// The word before all params in one JSON array or object, as for the command `call`.
    static let paramsOption = "--params"

    /// Returns the params: words as for the command `call`, or ``paramsOption`` and all params.
    func params() throws -> RawJSON? {
        guard words.contains(Self.paramsOption) else { return try ParamWords.params(words) }
        guard words.count == 2, words[0] == Self.paramsOption else {
            throw UsageError(
                "\(Self.paramsOption) needs one value, a JSON array or object with all params, and no other params.")
        }
        let option = ParamsOption(words[1])
        guard option != .standardInput else {
            throw UsageError("\(Self.paramsOption) - reads standard input, which only call, notify and bench can do.")
        }
        return try option.read()
    }
}
