// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import HTTPSyntax
import JSONRPCWebSocket
import ToolSupport

/// A header field as `Name: value`, in the format of curl's `-H`.
struct HeaderOption: Equatable, Sendable {
    var name: String
    var value: String

    init(name: String, value: String) { (self.name, self.value) = (name, value) }

    init?(argument: some StringProtocol) {
        let text = String(argument)
        guard let colon = text.firstIndex(of: ":") else { return nil }
        name = String(text[..<colon])
        value = String(FieldText.trimming(text[text.index(after: colon)...]))
        guard !name.isEmpty, !name.utf8.contains(where: FieldText.isWhitespace) else { return nil }
    }
}

/// The value of `-H`: a header field, `NAME=@FILE` or `NAME=@env:VARIABLE` for a field whose value is in a file or in
/// the environment, or `@FILE` for a file with one header field on each line. No field's name contains `=`.
///
/// An invalid value is stored without its text and refused later. If the parser refused it, its message would repeat
/// the value, which may be a secret.
enum HeaderSource: Equatable, Sendable, ExpressibleByArgument {
    case field(HeaderOption)
    case file(String)
    case secret(name: String, SecretSource)
    case invalid

    static let defaultCompletionKind = CompletionKind.file()
    /// The size of the largest file that is read.
    private static let maximumBytes = 1 << 20

    init(argument: String) {
        if argument.hasPrefix("@") {
            self = argument == "@" ? .invalid : .file(String(argument.dropFirst()))
        } else if let mark = argument.firstRange(of: "=@"), FieldText.isToken(argument[..<mark.lowerBound]) {
            let source = SecretSource(argument[argument.index(after: mark.lowerBound)...])
            self = .secret(name: String(argument[..<mark.lowerBound]), source)
        } else {
            self = HeaderOption(argument: argument).map { .field($0) } ?? .invalid
        }
    }

    /// Returns the header fields. Throws ``UsageError`` if the file cannot be read or a line is not a header field. The
    /// message does not contain the line, which may be a secret.
    func fields() throws -> [HeaderOption] {
        switch self {
        case .field(let field): return [field]
        case .secret(let name, let source):
            return [HeaderOption(name: name, value: try source.read(for: "the header field \(name)"))]
        case .invalid: return []
        case .file(let path):
            let text = String(decoding: try FileBytes.contents(of: path, atMost: Self.maximumBytes), as: UTF8.self)
            var fields: [HeaderOption] = []
            for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                guard !line.allSatisfy(\.isWhitespace) else { continue }
                guard let field = HeaderOption(argument: line) else {
                    throw UsageError(
                        "Could not read header fields from \(path): line \(index + 1) is not a header field "
                            + "('Name: value').")
                }
                fields.append(field)
            }
            return fields
        }
    }
}

/// An option of the form `name=value`. The value is JSON, or a word for a string.
struct ExtraMemberOption: Equatable, Sendable, ExpressibleByArgument {
    var name: String
    /// The value as the user wrote it. ``ParamWords/value(_:)`` parses it.
    var value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}

/// The version of JSON-RPC that the peer uses.
enum VersionOption: String, Sendable, ExpressibleByArgument, CaseIterable {
    /// The `jsonrpc` member is sent and expected.
    case two = "2.0"
    /// The `jsonrpc` member is neither sent nor required.
    case none
}
