// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import LoadTester

/// The conditions of a benchmark, for its page.
struct BenchConditions: Sendable {
    /// The start of the first run in seconds since 1970.
    var began: Double
    /// The params of each request, as JSON; `nil` for merged logs, which do not have them.
    var params: [String]?
    /// The words of the command line, without the name of the program.
    var arguments: [String] = []

    /// The number of characters of the params, and of the command line, that are shown.
    private static let maximumCharacters = 1000

    var rows: [(title: String, text: String)] {
        var rows: [(title: String, text: String)] = [
            ("date", SystemTime.text(began)), ("version", "jsonrpc \(packageVersion)"), ("host", Self.host),
        ]
        if let params {
            rows.append(("params", params.isEmpty ? "none" : Self.excerpt(params.joined(separator: " or "))))
        }
        return rows + [("command", Self.excerpt(Self.commandLine(arguments)))]
    }

    private static func excerpt(_ text: String) -> String {
        let start = text.prefix(maximumCharacters)
        return start.endIndex < text.endIndex ? "\(start)…" : text
    }

    /// The name of this machine, its system and the number of its processors.
    private static var host: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        func text(_ part: some Any) -> String {
            withUnsafeBytes(of: part) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        return "\(text(names.nodename)) (\(text(names.sysname)) \(text(names.release)) \(text(names.machine)), "
            + "\(processors) processor\(processors == 1 ? "" : "s"))"
    }

    // MARK: Command line

    /// Returns the command line without secrets: header fields, credentials, the values of `--extra`, and the user
    /// names, passwords and queries of URLs are replaced by `***`.
    static func commandLine(_ arguments: [String]) -> String {
        var words = ["jsonrpc"]
        var option = ""
        for word in CommandLineWords.prepared(arguments) where word != AsBatchOption.absent {
            let word = CommandLineWords.unmarked(word)
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if word.hasPrefix("--"), parts.count == 2 {
                words.append(ShellWord.quoted("\(parts[0])=\(withoutSecrets(parts[1], option: parts[0]))"))
            } else {
                words.append(ShellWord.quoted(withoutSecrets(word, option: option)))
            }
            option = word
        }
        return words.joined(separator: " ")
    }

    private static func withoutSecrets(_ word: String, option: String) -> String {
        switch option {
        case "-H", "--header":
            if case .field(let field) = HeaderSource(argument: word) { return "\(field.name): ***" }
            return HeaderSource(argument: word) == .invalid ? "***" : word
        case "--bearer", "--user":
            if case .literal = SecretSource(word) { return "***" }
            return word
        case "--extra":
            return "\(word.prefix { $0 != "=" })=***"
        default:
            guard TargetURL.isURL(word) || option == "--proxy" else { return word }
            return UsageText.shortURL(word)
        }
    }
}
