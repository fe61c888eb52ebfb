// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@JSONCodable`: adds the conformances.
open class JSONCodableExpansion: MemberMacro, ExtensionMacro {
    public static var formatMode: FormatMode { .disabled }

    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The expansion of the extension reports the errors.
        let coded = TypeReader(node, DiagnosticSink(context, isSilent: true)).read(declaration)
        return coded?.scopeMember.map { [DeclSyntax(stringLiteral: $0)] } ?? []
    }

    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let coded = TypeReader(node, DiagnosticSink(context)).read(declaration) else { return [] }
        let missing = protocols.map { $0.trimmedDescription.split(separator: ".").last.map(String.init) ?? "" }
        let writer = ExtensionWriter(coded: coded, type: type.trimmedDescription, conformances: missing)
        return writer.extensions.compactMap { DeclSyntax(stringLiteral: $0).as(ExtensionDeclSyntax.self) }
    }
}

/// `@JSONKey`: sets the name of a property or a case. It generates nothing.
open class JSONKeyExpansion: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let sink = DiagnosticSink(context)
        guard declaration.is(VariableDeclSyntax.self) || declaration.is(EnumCaseDeclSyntax.self) else {
            sink.error("'@JSONKey' can only be attached to a property or a case", at: node)
            return []
        }
        if let variable = declaration.as(VariableDeclSyntax.self),
            !variable.isStored || variable.modifiers.first("static", "class") != nil
        {
            sink.error("'@JSONKey' has no effect here: the property is no stored property of a value", at: node)
        }
        let attributes = Syntax(declaration).attributes?.named ?? []
        if attributes.filter({ $0.plainName == "JSONKey" }).count > 1 {
            sink.error("only one '@JSONKey' can be attached here", at: node)
        }
        sink.checkSurrounding(
            ["JSONCodable"], "'@JSONKey' has no effect here: it belongs in a type with '@JSONCodable'", at: node)
        return []
    }
}
