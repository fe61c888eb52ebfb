// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacrosExpansion
import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros

// The compiler looks for the type of a macro in the module of the plugin. The implementations are in a library beside it,
// so that their tests need not be built for the host.

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        JSONRPCProxyMacro.self, JSONRPCServiceMacro.self, JSONRPCProxyAndServiceMacro.self, RPCMacro.self,
        RPCNotificationMacro.self, RPCNotificationStreamMacro.self, RPCSubscriptionMacro.self,
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

struct JSONRPCServiceMacro: PeerMacro {
    static var formatMode: FormatMode { ServiceExpansion.formatMode }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ServiceExpansion.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}

struct JSONRPCProxyAndServiceMacro: PeerMacro {
    static var formatMode: FormatMode { ProxyAndServiceExpansion.formatMode }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ProxyAndServiceExpansion.expansion(of: node, providingPeersOf: declaration, in: context)
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

struct RPCNotificationStreamMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try PropertyMark.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}

struct RPCSubscriptionMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try MethodMark.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}
