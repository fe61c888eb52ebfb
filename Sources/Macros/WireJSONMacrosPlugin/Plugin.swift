// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros
import WireJSONMacrosExpansion

// The compiler looks for the type of a macro in the module of the plugin. The implementations are in a library beside it,
// so that their tests need not be built for the host.

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [JSONCodableMacro.self, JSONKeyMacro.self]
}

struct JSONCodableMacro: MemberMacro, ExtensionMacro {
    static var formatMode: FormatMode { JSONCodableExpansion.formatMode }

    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try JSONCodableExpansion.expansion(
            of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        try JSONCodableExpansion.expansion(
            of: node, attachedTo: declaration, providingExtensionsOf: type, conformingTo: protocols, in: context)
    }
}

struct JSONKeyMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try JSONKeyExpansion.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}
