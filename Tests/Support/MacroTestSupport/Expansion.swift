// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
package import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// The output of the macros for a source.
package struct Expansion {
    /// The source with the generated code.
    package let text: String
    /// Each diagnostic with its place, its line and the titles of its fix-its.
    package let diagnostics: String
    package let messages: [(line: Int, message: String)]
    /// The source after the first fix-it of each diagnostic.
    package let fixed: String

    package init(of source: String, by macros: [String: MacroSpec]) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Example", fullFilePath: "Example.swift")])
        text =
            file.expand(macroSpecs: macros) {
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            }.description
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        var shown: [String] = []
        var messages: [(line: Int, message: String)] = []
        var bytes = Array(source.utf8)
        var edits: [(range: Range<Int>, text: String)] = []
        for diagnostic in context.diagnostics {
            let place = context.location(
                for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Example.swift")
            messages.append((place.line, diagnostic.message))
            shown.append("\(place.line):\(place.column): error: \(diagnostic.message)")
            shown.append("    \(lines[place.line - 1])")
            shown.append("    \(String(repeating: " ", count: place.column - 1))^")
            shown += diagnostic.fixIts.map { "    fix: \($0.message.message)" }
            for case .replace(let old, let new) in diagnostic.fixIts.first?.changes ?? [] {
                let start = context.location(for: old.position, anchoredAt: old, fileName: "Example.swift").offset
                edits.append((start..<(start + old.totalLength.utf8Length), new.description))
            }
        }
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: Array(edit.text.utf8))
        }
        diagnostics = shown.joined(separator: "\n")
        self.messages = messages
        fixed = String(decoding: bytes, as: UTF8.self)
    }
}
