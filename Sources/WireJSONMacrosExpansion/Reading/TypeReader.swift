// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// Reads a type with `@JSONCodable`.
struct TypeReader {
    private let attribute: AttributeSyntax
    private let sink: DiagnosticSink
    private let naming: KeyNaming

    init(_ attribute: AttributeSyntax, _ sink: DiagnosticSink) {
        self.attribute = attribute
        self.sink = sink
        naming = Self.naming(attribute, sink)
    }

    private static func naming(_ attribute: AttributeSyntax, _ sink: DiagnosticSink) -> KeyNaming {
        guard let argument = attribute.labeledArguments.first(where: { $0.label?.text == "keys" }) else { return .asIs }
        let name = argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? ""
        guard let naming = KeyNaming(rawValue: name) else {
            sink.error(
                "namingNotLiteral", "the macro must see the rule: write '.asIs' or '.snakeCase'",
                at: argument.expression)
            return .asIs
        }
        return naming
    }

    /// Returns `nil` if there is an error, which was reported.
    func read(_ declaration: some DeclGroupSyntax) -> CodedType? {
        checkAccess(declaration.modifiers)
        checkMembers(declaration.memberBlock)
        let keys = OwnKeys(declaration.memberBlock, sink)
        let content: CodedType.Content
        let parameters: GenericParameterClauseSyntax?
        if let structure = declaration.as(StructDeclSyntax.self) {
            parameters = structure.genericParameterClause
            content = PropertyReader(naming: naming, keys: keys, sink: sink).read(structure)
        } else if let enumeration = declaration.as(EnumDeclSyntax.self) {
            parameters = enumeration.genericParameterClause
            content = CaseReader(naming: naming, keys: keys, sink: sink).read(enumeration)
        } else {
            wrongDeclaration(declaration)
            return nil
        }
        if sink.hasErrors { return nil }
        let isNestedInGeneric = sink.context.lexicalContext.contains {
            $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
        }
        return CodedType(
            content: content,
            extensionModifier: declaration.modifiers.first("nonisolated") == nil ? "" : "nonisolated ",
            memberModifier: declaration.modifiers.memberModifier,
            parameters: parameters?.parameters.map(\.name.text) ?? [],
            isGeneric: parameters != nil || isNestedInGeneric, hasOwnKeys: keys != nil)
    }

    private func wrongDeclaration(_ declaration: some DeclGroupSyntax) {
        let keyword = declaration.introducer
        let message = "'@JSONCodable' can only be attached to a struct or an enum"
        guard declaration.is(ClassDeclSyntax.self) else { return sink.error("wrongType", message, at: keyword) }
        sink.error(
            "wrongType", "\(message): the compiler writes the coding of a class with 'Codable'", at: keyword)
    }

    private func checkAccess(_ modifiers: DeclModifierListSyntax) {
        guard !sink.context.lexicalContext.isEmpty, let modifier = modifiers.first("private") else { return }
        sink.error(
            "privateType", "a type inside another type cannot be 'private', because the conformance is outside",
            at: modifier,
            Repair(
                "use 'fileprivate'", replace: modifier, by: modifier.with(\.name.tokenKind, .keyword(.fileprivate))))
    }

    /// What the type does itself cannot be read from it.
    private func checkMembers(_ members: MemberBlockSyntax) {
        for member in members.members {
            if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                let labels = initializer.signature.parameterClause.parameters.map(\.firstName.text)
                guard labels == ["from"] || labels == ["reading"] else { continue }
                ownCoding("init(\(labels[0]):)", at: initializer.initKeyword)
            } else if let function = member.decl.as(FunctionDeclSyntax.self) {
                let labels = function.signature.parameterClause.parameters.map(\.firstName.text)
                guard labels == ["to"], ["encode", "write"].contains(function.name.text) else { continue }
                ownCoding("\(function.name.text)(to:)", at: function.name)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                sink.error(
                    "condition", "the macro does not evaluate '#if'; put it around the whole type", at: condition)
            }
        }
    }

    private func ownCoding(_ name: String, at node: some SyntaxProtocol) {
        sink.error(
            "ownCoding",
            "'@JSONCodable' would not use this '\(name)': remove it, or write 'Codable' in place of the macro", at: node
        )
    }
}

/// The `CodingKeys` of a type.
struct OwnKeys {
    private(set) var names: [String: String] = [:]
    let declaration: EnumDeclSyntax

    init?(_ members: MemberBlockSyntax, _ sink: DiagnosticSink) {
        let found = members.members.lazy.compactMap { $0.decl.as(EnumDeclSyntax.self) }.first {
            $0.name.text == "CodingKeys"
        }
        guard let found else { return nil }
        declaration = found
        for member in found.memberBlock.members {
            guard let cases = member.decl.as(EnumCaseDeclSyntax.self) else { continue }
            for element in cases.elements {
                let name = element.name.text.plain
                guard let value = element.rawValue?.value else {
                    names[name] = name
                    continue
                }
                guard let text = value.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
                    sink.error("keyNotLiteral", "the macro needs a string literal without interpolation", at: value)
                    continue
                }
                names[name] = text
            }
        }
    }
}

/// The name that `@JSONKey` gives.
struct WrittenKey {
    let text: String
    let node: ExprSyntax

    init?(_ attributes: AttributeListSyntax, _ sink: DiagnosticSink) {
        guard let mark = attributes.named.first(where: { $0.plainName == "JSONKey" }),
            let expression = mark.labeledArguments.first?.expression
        else { return nil }
        node = expression
        guard let text = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
            sink.error("keyNotLiteral", "the name must be a string literal without interpolation", at: expression)
            return nil
        }
        self.text = text
    }
}
