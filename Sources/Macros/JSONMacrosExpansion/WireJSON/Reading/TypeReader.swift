// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Reads a type with `@JSONCodable`.
struct TypeReader {
    private let sink: DiagnosticSink
    private let naming: KeyNaming

    init(_ attribute: AttributeSyntax, _ sink: DiagnosticSink) {
        self.sink = sink
        let argument = attribute.argument("keys")
        let naming = argument?.caseName.flatMap(KeyNaming.init(rawValue:))
        self.naming = naming ?? .asIs
        if let argument, naming == nil {
            sink.error("the macro must see the rule: write '.asIs' or '.snakeCase'", at: argument)
        }
    }

    /// Returns `nil` if an error was reported.
    func read(_ declaration: some DeclGroupSyntax) -> CodedType? {
        let own = declaration.attributes.named.filter { $0.plainName == "JSONCodable" }
        if own.count > 1 { sink.error("a type can have '@JSONCodable' only once", at: own[1]) }
        sink.checkAccess(declaration.modifiers)
        checkInheritance(declaration.inheritanceClause)
        checkMembers(declaration.memberBlock)
        let keys = OwnKeys("CodingKeys", in: declaration.memberBlock, sink)
        let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text ?? "Self"
        let members = MemberReader(naming: naming, keys: keys, sink: sink, scope: SourceScope(name: name))
        let content: CodedType.Content
        let parameters: GenericParameterClauseSyntax?
        if let structure = declaration.as(StructDeclSyntax.self) {
            parameters = structure.genericParameterClause
            content = members.read(structure)
        } else if let enumeration = declaration.as(EnumDeclSyntax.self) {
            parameters = enumeration.genericParameterClause
            content = members.read(enumeration)
        } else {
            wrongDeclaration(declaration)
            return nil
        }
        if let pack = parameters?.parameters.first(where: { $0.specifier?.text == "each" }) {
            sink.error("a type with a type parameter pack cannot have '@JSONCodable'", at: pack)
        }
        if sink.hasErrors { return nil }
        let surroundings = sink.context.lexicalContext
        let lists = [declaration.attributes] + surroundings.compactMap(\.attributes)
        let inherited = declaration.inheritanceClause?.inheritedTypes.map(\.type.standardName) ?? []
        return CodedType(
            content: content,
            extensionModifier: isNonisolated(declaration) ? "nonisolated " : "",
            memberModifier: memberModifier(declaration.modifiers),
            isolation: declaration.attributes.first("MainActor")?.trimmedDescription,
            availability: lists.flatMap(\.availability),
            hasDeprecatedMembers: declaration.memberBlock.members.contains {
                guard $0.decl.is(VariableDeclSyntax.self) || $0.decl.is(EnumCaseDeclSyntax.self) else { return false }
                return Syntax($0.decl).attributes?.availability.contains { $0.contains("deprecated") } == true
            },
            isNested: !surroundings.isEmpty,
            dependencies: dependencies(on: parameters, in: content),
            declaredConformances: Set(inherited.flatMap { $0 == "Codable" ? ["Decodable", "Encodable"] : [$0] }),
            isGeneric: parameters != nil || surroundings.contains(where: \.isGenericContext),
            hasOwnKeys: keys != nil, name: name)
    }

    /// Whether the type or a surrounding type or extension is declared `nonisolated`.
    private func isNonisolated(_ declaration: some DeclGroupSyntax) -> Bool {
        for node in [Syntax(declaration)] + sink.context.lexicalContext {
            if node.asProtocol((any WithModifiersSyntax).self)?.modifiers.first("nonisolated") != nil { return true }
            if node.attributes?.first("MainActor") != nil || node.is(ExtensionDeclSyntax.self) { return false }
        }
        return false
    }

    /// The modifier of members. In a public extension, members are public without a modifier.
    private func memberModifier(_ modifiers: DeclModifierListSyntax) -> String {
        guard modifiers.first("public", "package", "internal", "fileprivate", "private") == nil,
            let surrounding = sink.context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
        else { return modifiers.accessLevel.memberModifier }
        return surrounding.modifiers.accessLevel.memberModifier
    }

    /// The generic parameters, or their associated types, in the types of members. Only these need a conformance.
    private func dependencies(on parameters: GenericParameterClauseSyntax?, in content: CodedType.Content) -> [String] {
        let names = (parameters?.parameters ?? []).filter { $0.specifier == nil }.map(\.name.text)
        guard !names.isEmpty else { return [] }
        var dependencies: [String] = []
        for type in content.types.map({ TypeSyntax(stringLiteral: $0) }) {
            for dependency in type.dependencies(on: names) where !dependencies.contains(dependency) {
                dependencies.append(dependency)
            }
        }
        return dependencies
    }

    private func wrongDeclaration(_ declaration: some DeclGroupSyntax) {
        let keyword = declaration.introducer
        let message = "'@JSONCodable' can only be attached to a struct or an enum"
        guard declaration.is(ClassDeclSyntax.self) else { return sink.error(message, at: keyword) }
        sink.error("\(message): the compiler writes the coding of a class with 'Codable'", at: keyword)
    }

    private func checkInheritance(_ clause: InheritanceClauseSyntax?) {
        for type in clause?.inheritedTypes.map(\.type) ?? [] {
            if ["RawRepresentable", "OptionSet"].contains(type.standardName) {
                sink.error(
                    "'Codable' codes a '\(type.standardName)' type as its raw value: write 'Codable' in place of the macro",
                    at: type)
            } else if let suppressed = type.as(SuppressedTypeSyntax.self),
                ["Copyable", "Escapable"].contains(suppressed.type.standardName)
            {
                sink.error("a type with '\(type.trimmedDescription)' cannot be 'Codable'", at: type)
            }
        }
    }

    /// Reports members that code the type, which the macro cannot take into account.
    private func checkMembers(_ members: MemberBlockSyntax) {
        for member in members.members {
            if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                let label = ["from": "Decoder", "reading": "JSONReader"].first {
                    initializer.signature.parameterClause.has($0.key, $0.value)
                }
                if let label { ownCoding("init(\(label.key):)", at: initializer.initKeyword) }
            } else if let function = member.decl.as(FunctionDeclSyntax.self) {
                guard let type = ["encode": "Encoder", "write": "JSONWriter"][function.name.text],
                    function.signature.parameterClause.has("to", type)
                else { continue }
                ownCoding("\(function.name.text)(to:)", at: function.name)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                sink.error("the macro does not evaluate '#if'; put it around the whole type", at: condition)
            }
        }
    }

    private func ownCoding(_ name: String, at node: some SyntaxProtocol) {
        sink.error(
            "'@JSONCodable' would not use this '\(name)': remove it, or write 'Codable' in place of the macro",
            at: node)
    }
}
