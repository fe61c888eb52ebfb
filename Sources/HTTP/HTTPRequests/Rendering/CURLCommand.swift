// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import HTTPSyntax
public import HTTPTypes

/// A command for `curl` that sends a request, for bug reports and experiments.
///
/// ``description`` is the command for bash and zsh, in one line. All texts are quoted: no URL, field or body can add a
/// command, an option or a file.
///
/// Secrets in header fields and queries are left out by default; see ``HTTPRedaction``. A body is shown as it is. Pass
/// `maximumBodyBytes: 0` if it may hold secrets.
public struct CURLCommand: Sendable, Hashable {
    /// The program and its arguments, not quoted.
    public let arguments: [String]
    /// The standard input in Base64; `nil` if the command makes none.
    private let input: String?

    /// Makes a command.
    ///
    /// A text becomes an argument, and `curl` reads a file itself. Other bytes are embedded in Base64 and piped to
    /// `curl`. A stream or a longer body must be passed to the command's standard input.
    ///
    /// - Parameters:
    ///   - request: The head of the request.
    ///   - body: The content; `nil` if the request has none.
    ///   - redaction: The secrets to leave out.
    ///   - maximumBodyBytes: The largest body in memory that becomes a part of the command. The default is 16 KiB.
    public init(
        _ request: HTTPRequest, body: HTTPBodyEntity? = nil, redacting redaction: HTTPRedaction = .standard,
        maximumBodyBytes: Int = 16 << 10
    ) {
        let url = redaction.url(of: request)
        var arguments = ["curl"]
        // Otherwise curl would expand brackets and braces, and resolve dots.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { arguments.append("--globoff") }
        if url.contains("/.") { arguments.append("--path-as-is") }
        if request.method == .head, body == nil {
            arguments.append("--head")
        } else if request.method != .get || body != nil {
            arguments += ["--request", request.method.rawValue]
        }
        arguments += ["--url", url]
        for field in request.headerFields {
            let value = redaction.value(of: field)
            // `Name:` would remove a field.
            arguments += ["--header", value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)"]
        }
        if let body, request.headerFields[.contentType] == nil {
            // Without a type, curl would add its own.
            let type = body.contentType.map { HTTPField(name: .contentType, value: $0).value }
            arguments += ["--header", type.map { "Content-Type: \($0)" } ?? "Content-Type:"]
        }
        var input: String?
        if let body { Self.add(body, to: &arguments, &input, maximumBodyBytes) }
        self.arguments = arguments
        self.input = input
    }

    private static func add(
        _ body: HTTPBodyEntity, to arguments: inout [String], _ input: inout String?, _ maximumBodyBytes: Int
    ) {
        switch body.content {
        case .bytes(let bytes) where bytes.count <= maximumBodyBytes:
            if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
                // With `--data-binary`, a text that begins with `@` would be the name of a file.
                arguments += ["--data-raw", text]
            } else {
                arguments += ["--data-binary", "@-"]
                input = Data(bytes).base64EncodedString()
            }
        case .file(let path):
            arguments += ["--data-binary", path == "-" ? "@./-" : "@\(path)"]
        case .bytes, .stream:
            arguments += ["--data-binary", "@-"]
        }
    }
}

extension CURLCommand: CustomStringConvertible {
    /// The command for bash and zsh, in one line.
    public var description: String {
        let command = arguments.map(ShellWord.quoting).joined(separator: " ")
        guard let input else { return command }
        return "echo \(ShellWord.quoting(input)) | base64 --decode | \(command)"
    }
}

enum ShellWord {
    /// Quotes a text so that the shell makes exactly one word of it.
    static func quoting(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy({ FieldText.isLetterOrDigit($0) || "-_./:@%+,".utf8.contains($0) }) {
            return text
        }
        guard text.unicodeScalars.allSatisfy(\.isPrintable) else { return escaping(text) }
        return "'" + text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
    }

    /// Writes characters that are not printable as octal escapes of their bytes (`$'…'`).
    private static func escaping(_ text: String) -> String {
        var word = "$'"
        for scalar in text.unicodeScalars {
            if scalar == "'" || scalar == "\\" {
                word += "\\\(scalar)"
            } else if scalar.isPrintable {
                word.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 {
                    let digits = String(byte, radix: 8)
                    word += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
                }
            }
        }
        return word + "'"
    }
}
