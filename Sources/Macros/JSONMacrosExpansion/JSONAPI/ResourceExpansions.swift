// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

// The compiler can need the conformance without the members, and it expands them only if it needs them. For this reason, the
// expansion of the extension reports the errors.

/// `@Resource`: adds the state, the schema, the initializers and the conformance.
open class ResourceExpansion: MemberMacro, ExtensionMacro {
    public static var formatMode: FormatMode { .disabled }

    class var kind: FieldedType.Kind { .resource }

    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let sink = DiagnosticSink(context, isSilent: true)
        let type = StructReader(kind: kind, attribute: node, sink: sink).read(declaration)
        return type?.members.map { DeclSyntax(stringLiteral: $0) } ?? []
    }

    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let read = StructReader(kind: kind, attribute: node, sink: DiagnosticSink(context)).read(declaration)
        return read == nil ? [] : try conformance(of: type, to: kind.rawValue, if: protocols)
    }
}

/// `@NestedAttribute`: adds the schema, the initializers and the conformance.
open class NestedAttributeExpansion: ResourceExpansion {
    override class var kind: FieldedType.Kind { .nestedAttribute }
}

/// `@ResourceUnion`: adds the alternatives, the identifier and the conformance.
open class ResourceUnionExpansion: MemberMacro, ExtensionMacro {
    public static var formatMode: FormatMode { .disabled }

    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let union = UnionReader(sink: DiagnosticSink(context, isSilent: true)).read(declaration)
        return union?.members.map { DeclSyntax(stringLiteral: $0) } ?? []
    }

    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let read = UnionReader(sink: DiagnosticSink(context)).read(declaration)
        return read == nil ? [] : try conformance(of: type, to: "ResourceUnion", if: protocols)
    }
}

/// Returns an extension with the conformance, unless the type declares it itself. It is nonisolated, whatever the default
/// isolation of the module is, because the protocols are for values of any isolation.
private func conformance(
    of type: some TypeSyntaxProtocol, to name: String, if protocols: [TypeSyntax]
) throws -> [ExtensionDeclSyntax] {
    guard !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): JSONAPI.\(raw: name) {}")]
}

/// `@Attribute` and `@Relationship`: make a property a field. They generate nothing themselves.
open class FieldMarkExpansion: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let sink = DiagnosticSink(context)
        guard declaration.is(VariableDeclSyntax.self) else {
            sink.error("wrongPlace", "'@\(node.plainName)' can only be attached to a property", at: node)
            return []
        }
        sink.checkSurrounding(
            "noResource", ["Resource", "NestedAttribute"],
            "'@\(node.plainName)' has no effect here: it belongs into a struct with '@Resource' or '@NestedAttribute'",
            at: node)
        return []
    }
}
