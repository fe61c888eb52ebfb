// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import ToolSupport

/// A secret on the command line: the text itself, `@FILE`, or `@env:NAME` for a variable of the environment. A file
/// whose name begins with `env:` is `@./env:…`.
enum SecretSource: Equatable, Sendable {
    case literal(String)
    case file(String)
    case variable(String)

    /// The size of the largest file that is read.
    static let maximumBytes = 64 << 10

    init(_ argument: some StringProtocol) {
        if argument.hasPrefix("@env:") {
            self = .variable(String(argument.dropFirst("@env:".count)))
        } else if argument.hasPrefix("@") {
            self = .file(String(argument.dropFirst()))
        } else {
            self = .literal(String(argument))
        }
    }

    private var name: String {
        switch self {
        case .literal: "the given value"
        case .file(let path): path
        case .variable(let name): "the environment variable \(name)"
        }
    }

    /// Returns the secret, of a file without the line feed at its end. Throws ``UsageError`` if there is none, or if a
    /// header field cannot hold it. The message does not contain the secret.
    ///
    /// - Parameter option: The option, for messages.
    func read(for option: String) throws -> String {
        func unusable(_ fault: String) -> UsageError { UsageError("Could not use \(option): \(name) \(fault).") }
        var text: String
        switch self {
        case .literal(let literal): text = literal
        case .variable(let name):
            guard let value = Environment.value(name) else { throw unusable("is not set, or is empty") }
            text = value
        case .file(let path):
            let bytes = try FileBytes.contents(of: path, atMost: Self.maximumBytes)
            guard let contents = String(validating: bytes, as: UTF8.self) else { throw unusable("is not UTF-8") }
            text = contents
            // "\r\n" is one character.
            if text.last?.isNewline == true { text.removeLast() }
        }
        guard !text.isEmpty else { throw unusable("is empty") }
        guard text.utf8.allSatisfy(FieldText.isValueByte) else {
            throw unusable("has a control character or more than one line")
        }
        return text
    }
}
