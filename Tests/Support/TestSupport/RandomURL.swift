// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Texts composed of parts of URLs on which parsers disagree.
package enum RandomURL {
    private static let parts = [
        "a", "h", "example.com", ".", "..", "@", "@", ":", ":", "/", "?", "#", "\\", "[", "]", "[::1]",
        "[fe80::1%25lo]",
        "%", "%41", "%00", "%40", "%5C", "1", "127.1", "127.0.0.1", "0x7f", "80", ":80", "65536", "-", "_", "~", "|",
        " ", "\t", "\r\n", "\u{1B}", "ö", "hunter2", "hunter2@", ":hunter2@", "&", "=", "+", "ws://", "http://",
        "socks5://",
        "\u{9B}", "*", ",", "/8",
    ]

    package static func text(_ random: inout SeededGenerator, upTo count: Int = 9) -> String {
        (0..<Int.random(in: 1...count, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    }
}
