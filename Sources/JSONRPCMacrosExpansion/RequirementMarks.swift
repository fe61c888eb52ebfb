// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@RPC` and `@RPCNotification`: say what `@JSONRPCProxy` is to know of a method. Make nothing themselves.
public struct MethodMark: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        checkPlace(of: node, on: declaration, wants: .function, in: context)
        return []
    }
}

/// `@RPCNotifications`: says that a property is a stream of the peer's notifications. Makes nothing itself.
public struct PropertyMark: PeerMacro {
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

/// Tells of an attribute that nobody will read.
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
            ? "; a notification to the peer is marked '@RPCNotification'" : ""
        return sink.error("wrongPlace", "'@\(name)' belongs to a \(wanted.rawValue)\(other)", at: node)
    }
    let surrounding = context.lexicalContext.first?.as(ProtocolDeclSyntax.self)
    guard surrounding?.attributes.contains(where: { $0.isAttribute("JSONRPCProxy") }) == true else {
        return sink.error(
            "noProxy", "'@\(name)' says something only in a protocol with '@JSONRPCProxy'", at: node)
    }
}
