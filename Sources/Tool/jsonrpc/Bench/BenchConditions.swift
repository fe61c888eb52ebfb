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

    /// Returns the command line without its secrets.
    static func commandLine(_ arguments: [String]) -> String {
        (["jsonrpc"] + CommandLineWords.withoutSecrets(arguments).map(ShellWord.quoted)).joined(separator: " ")
    }
}
