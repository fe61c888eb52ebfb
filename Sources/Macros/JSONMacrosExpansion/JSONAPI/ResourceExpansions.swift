// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

// The compiler may need the conformance without the members, which it only expands when it needs them. So the expansion
// of the extension reports the errors.

/// `@Resource`: adds the state, the schema, the initializers and the conformance.
open class ResourceExpansion: MemberMacro, ExtensionMacro {
    public static var formatMode: FormatMode { .disabled }

    /// The kind of the structure, or `nil` for a union.
    class var kind: FieldedType.Kind? { .resource }

    /// Returns the members, or `nil` if an error was reported.
    private static func members(
        of declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, _ sink: DiagnosticSink
    ) -> [String]? {
        guard let kind else { return UnionReader(sink: sink).read(declaration)?.members }
        return StructReader(kind: kind, attribute: attribute, sink: sink).read(declaration)?.members
    }

    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let members = members(of: declaration, node, DiagnosticSink(context, isSilent: true))
        return members?.map { DeclSyntax(stringLiteral: $0) } ?? []
    }

    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // No extension is needed if the type itself declares the conformance.
        guard members(of: declaration, node, DiagnosticSink(context)) != nil, !protocols.isEmpty else { return [] }
        // Nonisolated also in modules with a default isolation: the protocols accept any isolation.
        let name = kind?.rawValue ?? "ResourceUnion"
        return [try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): JSONAPI.\(raw: name) {}")]
    }
}

/// `@NestedAttribute`: adds the schema, the initializers and the conformance.
open class NestedAttributeExpansion: ResourceExpansion {
    override class var kind: FieldedType.Kind? { .nestedAttribute }
}

/// `@ResourceUnion`: adds the alternatives, the identifier and the conformance.
open class ResourceUnionExpansion: ResourceExpansion {
    override class var kind: FieldedType.Kind? { nil }
}

/// `@Attribute` and `@Relationship`: make a property a field. They generate nothing.
open class FieldMarkExpansion: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let sink = DiagnosticSink(context)
        guard declaration.is(VariableDeclSyntax.self) else {
            sink.error("'@\(node.plainName)' can only be attached to a property", at: node)
            return []
        }
        sink.checkSurrounding(
            ["Resource", "NestedAttribute"],
            "'@\(node.plainName)' has no effect here: it belongs in a struct with '@Resource' or '@NestedAttribute'",
            at: node)
        return []
    }
}
