// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacrosExpansion
import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros

// The compiler looks for a macro's type in the plugin's own module. What the macros do is in a library beside it, so
// that their tests need not be built as a plugin is, for the host.

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        JSONRPCProxyMacro.self, RPCMacro.self, RPCNotificationMacro.self, RPCNotificationsMacro.self,
    ]
}

struct JSONRPCProxyMacro: PeerMacro {
    static var formatMode: FormatMode { ProxyExpansion.formatMode }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ProxyExpansion.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}

struct RPCMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try MethodMark.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}

struct RPCNotificationMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try MethodMark.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}

struct RPCNotificationsMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try PropertyMark.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}
