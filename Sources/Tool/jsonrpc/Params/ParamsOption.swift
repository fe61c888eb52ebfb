// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

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

    /// Reads the params.
    ///
    /// - Throws: ``UsageError`` if the source cannot be read, or is not a JSON array or object (JSON-RPC 2.0 §4.2).
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
