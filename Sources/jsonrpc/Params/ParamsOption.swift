// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The value of `--params`: JSON in place, `@FILE`, or `-` for standard input.
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

    /// What error messages call it.
    var source: String {
        switch self {
        case .literal: "--params"
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }

    /// Reads the params, which JSON-RPC 2.0 §4.2 wants to be an array or an object.
    ///
    /// - Throws: ``UsageError``.
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
            throw UsageError("\(source): \(error)")
        }
        guard json.bytes.first == UInt8(ascii: "{") || json.bytes.first == UInt8(ascii: "[") else {
            throw UsageError("\(source): params are an array or an object (JSON-RPC 2.0 §4.2), not \(json.text).")
        }
        return json
    }
}
