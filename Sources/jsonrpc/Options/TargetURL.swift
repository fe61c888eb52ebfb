// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

/// The URL of a command line: as it stands there, `HOST:PORT` for `ws://HOST:PORT`, or that of the environment.
enum TargetURL {
    /// The environment's variable for a URL that is left out.
    static let variable = "JSONRPC_URL"

    /// What `--help` says of the URL.
    static let help: ArgumentHelp =
        "ws://, wss:// or ws+unix://; HOST:PORT means ws://HOST:PORT. Left out: $JSONRPC_URL."

    /// Whether a word is a URL, and not a method's name.
    static func isURL(_ word: String) -> Bool {
        word.contains("://") || word.hasPrefix("ws+unix:") || isHostAndPort(word)
    }

    /// The URL that a word stands for.
    ///
    /// - Throws: ``UsageError`` when the word cannot be a URL.
    static func complete(_ word: String) throws -> String {
        if isHostAndPort(word) { return "ws://" + word }
        guard isURL(word) else {
            // A word with a password is not repeated.
            let name = word.contains("@") ? "The first argument" : "'\(word)'"
            throw UsageError(
                "\(name) is not a URL. Give ws://HOST:PORT/PATH, wss://…, ws+unix://… or HOST:PORT, or set \(variable)."
            )
        }
        return word
    }

    /// `localhost:8080`, `127.0.0.1:8080/path`, `[::1]:8080`.
    private static func isHostAndPort(_ word: String) -> Bool {
        let authority = word.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return false }
        let (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
        guard !port.isEmpty, port.count <= 5, port.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") { return true }
        return !host.isEmpty
            && host.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: ".")
                    || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }
}
