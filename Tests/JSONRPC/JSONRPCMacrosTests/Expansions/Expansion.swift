// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacrosExpansion
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// What the macros make of a source, and what they say of it.
struct Expansion {
    static let macros: [String: any Macro.Type] = [
        "JSONRPCProxy": ProxyExpansion.self, "JSONRPCService": ServiceExpansion.self,
        "JSONRPCProxyAndService": ProxyAndServiceExpansion.self, "RPC": MethodMark.self,
        "RPCNotification": MethodMark.self, "RPCSubscription": MethodMark.self,
        "RPCNotificationStream": PropertyMark.self,
    ]

    /// The source with what was made of it.
    let text: String
    /// Each diagnostic with the line it stands at, and what its fix-its say.
    let diagnostics: String
    /// The messages, with their lines and columns.
    let messages: [(line: Int, column: Int, message: String)]
    /// The source after the first fix-it of each diagnostic.
    let fixed: String

    init(of source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Example", fullFilePath: "Example.swift")])
        let expanded = file.expand(
            macros: Self.macros,
            contextGenerator: {
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            })
        text = expanded.description
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        var shown: [String] = []
        var messages: [(line: Int, column: Int, message: String)] = []
        var edits: [(start: Int, length: Int, text: String)] = []
        for diagnostic in context.diagnostics {
            let place = context.location(
                for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Example.swift")
            messages.append((place.line, place.column, diagnostic.message))
            shown.append("\(place.line):\(place.column): error: \(diagnostic.message)")
            shown.append("    \(lines[place.line - 1])")
            shown.append("    \(String(repeating: " ", count: place.column - 1))^")
            for fix in diagnostic.fixIts { shown.append("    fix: \(fix.message.message)") }
            for case .replace(let old, let new) in diagnostic.fixIts.first?.changes ?? [] {
                let start = context.location(for: old.position, anchoredAt: old, fileName: "Example.swift").offset
                edits.append((start, old.totalLength.utf8Length, new.description))
            }
        }
        self.messages = messages
        diagnostics = shown.joined(separator: "\n")
        var bytes = Array(source.utf8)
        for edit in edits.sorted(by: { $0.start > $1.start }) {
            bytes.replaceSubrange(edit.start..<(edit.start + edit.length), with: Array(edit.text.utf8))
        }
        fixed = String(decoding: bytes, as: UTF8.self)
    }
}
