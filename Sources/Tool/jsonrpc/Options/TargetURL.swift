// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

/// The URL of the peer: a URL or `HOST:PORT` from the command line, or the URL from the environment.
enum TargetURL {
    /// The environment variable for the URL if the command line has none.
    static let variable = "JSONRPC_URL"

    static let help: ArgumentHelp =
        "URL of the peer: http://, https://, ws://, wss:// or ws+unix://. HOST:PORT means ws://HOST:PORT. The default is $JSONRPC_URL."

    /// The help text of the URL argument of commands that need a duplex connection.
    static let webSocketHelp: ArgumentHelp =
        "URL of the peer: ws://, wss:// or ws+unix://. HOST:PORT means ws://HOST:PORT. The default is $JSONRPC_URL."

    /// Returns whether a URL has the scheme http or https.
    static func isHTTP(_ url: String) -> Bool {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        return scheme == "http" || scheme == "https"
    }

    /// Checks that a URL is no HTTP URL.
    ///
    /// - Parameter reason: A sentence that says why the command needs a WebSocket.
    /// - Throws: ``UsageError`` if it is one.
    static func requireWebSocket(_ url: String, _ reason: String) throws {
        guard isHTTP(url) else { return }
        throw UsageError("\(reason) Give a ws:// or wss:// URL.")
    }

    /// Returns whether a word is a URL and not the name of a method.
    static func isURL(_ word: String) -> Bool {
        word.contains("://") || word.hasPrefix("ws+unix:") || isHostAndPort(word)
    }

    /// Returns the URL for a word.
    ///
    /// - Throws: ``UsageError`` if the word is neither a URL nor `HOST:PORT`.
    static func complete(_ word: String) throws -> String {
        if isHostAndPort(word) { return "ws://" + word }
        guard isURL(word) else {
            // The message must not contain a password.
            let name = word.contains("@") ? "The first argument" : "'\(word)'"
            throw UsageError(
                "\(name) is not a URL. Give ws://HOST:PORT/PATH, wss://…, ws+unix://…, http://…, https://… or "
                    + "HOST:PORT, or set \(variable)."
            )
        }
        let scheme = word.prefix { $0 != ":" }.lowercased()
        guard isHTTP(word) || ["ws", "wss", "ws+unix", "wss+unix"].contains(scheme) else {
            throw UsageError(
                "The scheme of the URL is unknown. Give a ws://, wss://, ws+unix://, http:// or https:// URL.")
        }
        return word
    }

    /// Returns whether a word is like `localhost:8080`, `127.0.0.1:8080/path` or `[::1]:8080`.
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
