// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPIMacrosExpansion
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// The output of the macros for a source.
struct Expansion {
    private static let macros: [String: MacroSpec] = [
        "Resource": MacroSpec(type: ResourceExpansion.self, conformances: ["Resource"]),
        "NestedAttribute": MacroSpec(type: NestedAttributeExpansion.self, conformances: ["NestedAttribute"]),
        "ResourceUnion": MacroSpec(type: ResourceUnionExpansion.self, conformances: ["ResourceUnion"]),
        "Attribute": MacroSpec(type: FieldMarkExpansion.self),
        "Relationship": MacroSpec(type: FieldMarkExpansion.self),
    ]

    /// The source with the generated code.
    let text: String
    /// Each diagnostic with its place, its line and the titles of its fix-its.
    let diagnostics: String
    let messages: [String]
    /// Each message with its line.
    let messagesByLine: [(line: Int, message: String)]
    /// The source after the first fix-it of each diagnostic.
    let fixed: String

    init(of source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Example", fullFilePath: "Example.swift")])
        text =
            file.expand(macroSpecs: Self.macros) {
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            }.description
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        var shown: [String] = []
        var bytes = Array(source.utf8)
        var edits: [(range: Range<Int>, text: String)] = []
        for diagnostic in context.diagnostics {
            let place = context.location(
                for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Example.swift")
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
        messages = context.diagnostics.map(\.message)
        messagesByLine = context.diagnostics.map {
            let place = context.location(for: $0.position, anchoredAt: $0.node, fileName: "Example.swift")
            return (place.line, $0.message)
        }
        fixed = String(decoding: bytes, as: UTF8.self)
    }
}
