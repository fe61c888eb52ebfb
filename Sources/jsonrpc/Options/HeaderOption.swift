// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

/// `Name: value`, as curl's `-H` takes it.
struct HeaderOption: Equatable, Sendable {
    var name: String
    var value: String

    init?(argument: some StringProtocol) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        name = String(argument[..<colon])
        value = String(argument[argument.index(after: colon)...].drop(while: isBlank))
        guard !name.isEmpty, !name.contains(where: isBlank) else { return nil }
    }
}

/// The value of `-H`: a header field, or `@FILE` for a file with one header field on each line.
///
/// A value that is neither is kept too, and refused later: the parser would repeat it in its message, and it may be a
/// secret.
enum HeaderSource: Equatable, Sendable, ExpressibleByArgument {
    case field(HeaderOption)
    case file(String)
    case invalid

    static let defaultCompletionKind = CompletionKind.file()

    init(argument: String) {
        if argument.hasPrefix("@") {
            self = argument == "@" ? .invalid : .file(String(argument.dropFirst()))
        } else {
            self = HeaderOption(argument: argument).map { .field($0) } ?? .invalid
        }
    }

    /// The header fields.
    ///
    /// - Throws: ``UsageError`` when the file cannot be read or a line of it is no header field. The message does not
    ///   repeat the line.
    func fields() throws -> [HeaderOption] {
        switch self {
        case .field(let field): return [field]
        case .invalid: return []
        case .file(let path):
            let text = String(decoding: try FileBytes.contents(of: path), as: UTF8.self)
            var fields: [HeaderOption] = []
            for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                guard !line.allSatisfy(\.isWhitespace) else { continue }
                guard let field = HeaderOption(argument: line) else {
                    throw UsageError("\(path): line \(index + 1) is not a header field ('Name: value').")
                }
                fields.append(field)
            }
            return fields
        }
    }
}

/// `name=value`, where the value is JSON or a bare word.
struct ExtraMemberOption: Equatable, Sendable, ExpressibleByArgument {
    var name: String
    /// As it was written; read by ``ParamWords/value(_:)``.
    var value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}

/// Which JSON-RPC the peer speaks.
enum VersionOption: String, Sendable, ExpressibleByArgument, CaseIterable {
    /// The `jsonrpc` member is sent and expected.
    case two = "2.0"
    /// It is left out, and need not come.
    case none
}
