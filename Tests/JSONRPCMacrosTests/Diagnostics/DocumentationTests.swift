// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing

/// The Swift samples of this module's articles and doc comments compile, each page as a program of its own.
@Suite(.inTurn(within: .seconds(60)))
struct DocumentationTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/JSONRPCMacros")

    /// A sequence of samples that share their declarations: those of an article, or one of a doc comment.
    struct Page: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var samples: [String]

        /// The samples as a file. Chunks between blank lines are declarations or the statements of a function.
        var program: String {
            var isDeclaration = true
            var declarations: [String] = []
            var statements = ""
            for sample in samples {
                for line in sample.split(separator: "\n", omittingEmptySubsequences: false) {
                    let isIndented = line.hasPrefix(" ") || line.isEmpty || line.hasPrefix("}") || line.hasPrefix("//")
                    if !isIndented { isDeclaration = Page.startsDeclaration(line) }
                    if isDeclaration { declarations.append(String(line)) } else { statements += "    \(line)\n" }
                }
            }
            return """
                \(declarations.joined(separator: "\n"))

                func statements(client: JSONRPCClient) async throws {
                \(statements)
                }
                """
        }

        private static func startsDeclaration(_ line: Substring) -> Bool {
            let words = ["@", "import", "protocol", "struct", "enum", "extension", "func", "final class", "actor"]
            return words.contains { line.hasPrefix($0) }
        }
    }

    /// The Swift code blocks of an article, or of the doc comments of a file.
    private static func samples(in text: String) -> [String] {
        var samples: [String] = []
        var sample: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.hasPrefix("///") ? line.dropFirst(line.hasPrefix("/// ") ? 4 : 3) : line
            if content == "```swift" {
                sample = []
            } else if content == "```" {
                if let sample { samples.append(sample.joined(separator: "\n")) }
                sample = nil
            } else {
                sample?.append(content)
            }
        }
        return samples
    }

    static func pages() throws -> [Page] {
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var pages: [Page] = []
        for case let file as URL in files ?? .init() where ["md", "swift"].contains(file.pathExtension) {
            let samples = samples(in: try String(contentsOf: file, encoding: .utf8))
            let name = file.lastPathComponent
            if file.pathExtension == "md" {
                if !samples.isEmpty { pages.append(Page(testDescription: name, samples: samples)) }
            } else {
                for (index, sample) in samples.enumerated() {
                    pages.append(Page(testDescription: "\(name) \(index + 1)", samples: [sample]))
                }
            }
        }
        return pages.sorted { $0.testDescription < $1.testDescription }
    }

    @Test func thereArePages() throws {
        #expect(try Self.pages().count >= 8)
    }

    @Test(arguments: try DocumentationTests.pages())
    func compiles(page: Page) async throws {
        let complaints = try await Compiler.complaints(about: ["Page.swift": page.program])
        #expect(complaints.isEmpty, "\(page.program)")
    }
}
