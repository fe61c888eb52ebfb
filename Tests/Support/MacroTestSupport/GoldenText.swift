// swift-jsonrpc · SPDX-License-Identifier: MIT

package import Foundation
import Testing

/// A source, and the reviewed output of the macros for it. A line of dashes with a title precedes each part.
///
/// With `RECORD_GOLDEN=1` in the environment, the tests write new output, which must be reviewed, and fail.
package struct GoldenText: CustomTestStringConvertible, Sendable {
    package var url: URL
    package var source: String
    /// The parts of the output, by title.
    package var parts: [String: String]

    package var testDescription: String { url.deletingPathExtension().lastPathComponent }

    /// Returns all texts in `folder/Golden` beside a file.
    package static func all(in folder: String, beside file: String) throws -> [GoldenText] {
        let directory = URL(filePath: file).deletingLastPathComponent().appending(path: "\(folder)/Golden")
        return try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }
            .map(GoldenText.init)
    }

    private init(_ url: URL) throws {
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
    package func check(_ output: [(title: String, text: String)]) throws {
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
