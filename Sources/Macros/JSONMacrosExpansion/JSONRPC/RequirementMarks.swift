// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@RPC`, `@RPCNotification` and `@RPCSubscription`: configure a method for the macro of its protocol. They generate nothing themselves.
open class MethodMark: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        checkPlace(of: node, on: declaration, wants: .function, in: context)
        return []
    }
}

/// `@RPCNotificationStream`: makes a property a stream of the peer's notifications. It generates nothing itself.
open class PropertyMark: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        checkPlace(of: node, on: declaration, wants: .property, in: context)
        return []
    }
}

private enum Wanted: String {
    case function = "method"
    case property
}

/// Diagnoses an attribute that would have no effect.
private func checkPlace(
    of node: AttributeSyntax, on declaration: some DeclSyntaxProtocol, wants wanted: Wanted,
    in context: some MacroExpansionContext
) {
    let name = node.attributeName.trimmedDescription
    let sink = DiagnosticSink(context)
    let isFitting =
        switch wanted {
        case .function: declaration.is(FunctionDeclSyntax.self)
        case .property: declaration.is(VariableDeclSyntax.self)
        }
    guard isFitting else {
        let other =
            wanted == .property && declaration.is(FunctionDeclSyntax.self)
            ? "; mark a notification to the peer with '@RPCNotification'" : ""
        return sink.error("wrongPlace", "'@\(name)' can only be attached to a \(wanted.rawValue)\(other)", at: node)
    }
    let surrounding = context.lexicalContext.first?.as(ProtocolDeclSyntax.self)
    let macros = ["JSONRPCProxy", "JSONRPCService", "JSONRPCProxyAndService"]
    guard surrounding?.attributes.contains(where: { macros.contains(where: $0.isAttribute) }) == true else {
        return sink.error(
            "noProxy",
            "'@\(name)' has no effect here; it belongs into a protocol with '@JSONRPCProxy', '@JSONRPCService' or "
                + "'@JSONRPCProxyAndService'", at: node)
    }
}
