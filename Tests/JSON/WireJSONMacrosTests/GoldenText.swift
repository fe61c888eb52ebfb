// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A source, and the reviewed output of the macros for it. The parts of the output follow lines of dashes with a title.
///
/// With `RECORD_GOLDEN=1` in the environment, the tests write the output anew, to be reviewed, and fail.
struct GoldenText: CustomTestStringConvertible, Sendable {
    var url: URL
    var source: String
    /// The parts of the output, by title.
    var parts: [String: String]

    var testDescription: String { url.deletingPathExtension().lastPathComponent }

    /// Returns all texts of a folder.
    static func all(in folder: String) throws -> [GoldenText] {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "\(folder)/Golden")
        return try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }
            .map(GoldenText.init)
    }

    init(_ url: URL) throws {
        self.url = url
        let sections = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n---- ")
        source = sections[0].trimmingCharacters(in: .newlines)
        parts = [:]
        for section in sections.dropFirst() {
            let title = section.prefix { $0 != "\n" }
            parts[String(title)] = section.dropFirst(title.count).trimmingCharacters(in: .newlines)
        }
    }

    /// Compares the output with the reviewed one.
    func check(_ output: [(title: String, text: String)]) throws {
        let output = output.map { (title: $0.title, text: $0.text.trimmingCharacters(in: .newlines)) }
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            let text = output.reduce(source) { $0 + "\n---- \($1.title)\n\($1.text)" }
            try Data((text + "\n").utf8).write(to: url)
            Issue.record("\(url.lastPathComponent) was written anew")
        }
        #expect(parts.keys.sorted() == output.map(\.title).sorted())
        for (title, text) in output { #expect(text == parts[title]) }
    }
}
