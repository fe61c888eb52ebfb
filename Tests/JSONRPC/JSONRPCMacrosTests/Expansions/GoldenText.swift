// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A text that was read and found right: a source, and behind lines of dashes what is made of it.
///
/// With `RECORD_GOLDEN=1` in the environment, texts are written anew, to be read again; the tests then fail.
struct GoldenText: CustomTestStringConvertible, Sendable {
    var url: URL
    var source: String
    /// What stands behind each title.
    var parts: [String: String]

    var testDescription: String { url.deletingPathExtension().lastPathComponent }

    /// All texts of a folder.
    static func all(in folder: String) throws -> [GoldenText] {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: folder).appending(path: "Golden")
        return try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }
            .map(GoldenText.init)
    }

    init(_ url: URL) throws {
        self.url = url
        var parts: [String: String] = [:]
        var title = ""
        for line in try String(contentsOf: url, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("---- ") {
                title = String(line.dropFirst(5))
            } else {
                parts[title, default: ""] += line + "\n"
            }
        }
        self.parts = parts.mapValues { $0.trimmingCharacters(in: .newlines) }
        source = self.parts.removeValue(forKey: "") ?? ""
    }

    /// Checks what is made of the source.
    func check(_ made: [(title: String, text: String)]) throws {
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            let text = made.reduce(source) { $0 + "\n---- \($1.title)\n\($1.text.trimmingCharacters(in: .newlines))" }
            try Data((text + "\n").utf8).write(to: url)
            Issue.record("\(url.lastPathComponent) was written anew")
        }
        #expect(Set(parts.keys) == Set(made.map(\.title)))
        for (title, text) in made { #expect(text.trimmingCharacters(in: .newlines) == parts[title]) }
    }
}
