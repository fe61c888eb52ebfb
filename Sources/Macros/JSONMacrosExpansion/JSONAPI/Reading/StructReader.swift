// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a structure with `@Resource` or `@NestedAttribute`.
struct StructReader {
    let kind: FieldedType.Kind
    let attribute: AttributeSyntax
    let sink: DiagnosticSink

    /// Returns `nil` if an error was reported.
    func read(_ declaration: some DeclGroupSyntax) -> FieldedType? {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            wrongDeclaration(declaration)
            return nil
        }
        if let clause = structure.genericParameterClause {
            sink.error("\(kind.noun) cannot be generic, because its schema is a static stored property", at: clause)
        }
        sink.checkAccess(structure.modifiers)
        var result = FieldedType(
            kind: kind, name: structure.name.text, type: documentType(structure.name),
            keys: attribute.argument("keys")?.trimmedDescription, access: structure.modifiers.accessLevel)
        for member in structure.memberBlock.members { read(member.decl, into: &result) }
        return sink.hasErrors ? nil : result
    }

    private func wrongDeclaration(_ declaration: some DeclGroupSyntax) {
        let name = "'@\(kind.rawValue)'"
        let keyword = declaration.introducer
        guard declaration.is(ClassDeclSyntax.self) else {
            return sink.error("\(name) can only be attached to a struct", at: keyword)
        }
        sink.error(
            "\(name) can only be attached to a struct, because \(kind.noun) is a value", at: keyword,
            Repair(
                "replace 'class' by 'struct'", replace: keyword, by: keyword.with(\.tokenKind, .keyword(.struct))))
    }

    /// The type in documents. By default, it is the name of the Swift type.
    private func documentType(_ name: TokenSyntax) -> String {
        let implicit = name.text.plain
        guard kind == .resource, let argument = attribute.argument(nil) else { return implicit }
        guard let text = argument.literalText else {
            sink.error("the type must be a string literal without interpolation", at: argument)
            return implicit
        }
        if text.isEmpty {
            sink.error(
                "the type must not be empty", at: argument,
                Repair("use \"\(implicit)\"", replace: argument, by: ExprSyntax(stringLiteral: implicit.literal)))
        } else if !MemberNameRule.allows(text) {
            sink.error(
                "\"\(text)\" is not a legal type: it must begin and end with a letter or a digit, and contain only "
                    + "letters, digits, '-', '_' and spaces", at: argument)
        }
        return text
    }

    private func read(_ member: DeclSyntax, into result: inout FieldedType) {
        if let variable = member.as(VariableDeclSyntax.self) {
            read(variable, into: &result)
        } else if let initializer = member.as(InitializerDeclSyntax.self) {
            let labels = initializer.signature.parameterClause.parameters.map(\.firstName.text)
            result.initializers.insert(labels)
        } else if let condition = member.as(IfConfigDeclSyntax.self) {
            let names = FieldMark.allCases.map { "@\($0.rawValue)" }
            guard names.contains(where: { condition.description.contains($0) }) else { return }
            sink.error("the macro does not evaluate '#if'; put it around the whole type", at: condition)
        }
    }

    private func read(_ variable: VariableDeclSyntax, into result: inout FieldedType) {
        let marks = FieldMark.allCases.compactMap { mark in
            variable.attributes.first(mark.rawValue).map { (mark: mark, attribute: $0) }
        }
        guard let first = marks.first else { return checkUnmarked(variable) }
        if marks.count > 1 {
            return sink.error("a property is an attribute or a relationship, not both", at: marks[1].attribute)
        }
        if kind == .nestedAttribute, first.mark == .relationship {
            return sink.error("only a resource can have relationships, and not a nested attribute", at: first.attribute)
        }
        let reader = FieldReader(
            variable: variable, mark: first.mark, attribute: first.attribute, kind: kind, sink: sink)
        guard let field = reader.read() else { return }
        claim(field, variable, in: result)
        result.fields.append(field)
    }

    /// Fields share one namespace. With a key strategy, only names from the same origin can be compared.
    private func claim(_ field: FieldDeclaration, _ variable: VariableDeclSyntax, in result: FieldedType) {
        let name = field.documentName
        let other = result.fields.first { other in
            other.documentName == name
                && (result.keys == nil || (other.writtenName == nil) == (field.writtenName == nil))
        }
        guard let other else { return }
        sink.error(
            "\"\(name)\" is the name of '\(other.property.plain)' in documents already: attributes and relationships "
                + "share their names", at: variable.bindings.first.map { Syntax($0.pattern) } ?? Syntax(variable))
    }

    private func checkUnmarked(_ variable: VariableDeclSyntax) {
        guard variable.isStored, variable.attributes.named.isEmpty,
            variable.modifiers.first("static", "class", "lazy") == nil
        else { return }
        for binding in variable.bindings {
            let name = binding.pattern.trimmedDescription
            if kind == .resource, FieldReader.resourceProperties.contains(name) {
                sink.error("a resource has the property '\(name)' already", at: binding.pattern)
            } else if binding.initializer == nil, binding.typeAnnotation?.type.isOptional != true {
                sink.error(
                    "a property that is not a field needs an initial value, because 'init()' makes a new value; mark a "
                        + "field with '@Attribute' or '@Relationship'", at: binding.pattern)
            }
        }
    }
}
