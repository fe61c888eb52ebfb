// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@RPC`, `@RPCNotification` and `@RPCSubscription`: configure a method for the macro of its protocol. They generate
/// nothing, and report an error if they would have no effect.
open class MethodMark: PeerMacro {
    class var isForProperties: Bool { false }

    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let name = node.attributeName.trimmedDescription
        let sink = DiagnosticSink(context)
        guard isForProperties ? declaration.is(VariableDeclSyntax.self) : declaration.is(FunctionDeclSyntax.self) else {
            let kind = isForProperties ? "property" : "method"
            let other =
                isForProperties && declaration.is(FunctionDeclSyntax.self)
                ? "; mark a notification to the peer with '@RPCNotification'" : ""
            sink.error("'@\(name)' can only be attached to a \(kind)\(other)", at: node)
            return []
        }
        sink.checkSurrounding(
            ["JSONRPCProxy", "JSONRPCService", "JSONRPCProxyAndService"],
            "'@\(name)' has no effect here; it belongs in a protocol with '@JSONRPCProxy', '@JSONRPCService' or "
                + "'@JSONRPCProxyAndService'", at: node)
        return []
    }
}

/// `@RPCNotificationStream`: makes a property a stream of the peer's notifications. It generates nothing.
open class PropertyMark: MethodMark {
    override class var isForProperties: Bool { true }
}

/// The attributes that configure a method. A method has at most one of them.
enum RequirementMark: String, CaseIterable {
    case call = "RPC"
    case notification = "RPCNotification"
    case subscription = "RPCSubscription"

    static let allNames = allCases.map(\.rawValue)

    /// The kind of method that the attribute declares, for messages.
    var kind: String {
        switch self {
        case .call: "a call"
        case .notification: "a notification"
        case .subscription: "a subscription"
        }
    }
}
