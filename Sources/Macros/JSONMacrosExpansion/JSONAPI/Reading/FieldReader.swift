// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a property with `@Attribute` or `@Relationship`.
struct FieldReader {
    let variable: VariableDeclSyntax
    let mark: FieldMark
    let attribute: AttributeSyntax
    let kind: FieldedType.Kind
    let sink: DiagnosticSink

    func read() -> FieldDeclaration? {
        let arguments = MarkArguments(attribute, kind: kind, sink)
        guard isFitting(), let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        guard let type = binding.typeAnnotation?.type else {
            missingType(binding)
            return nil
        }
        var field = FieldDeclaration(
            mark: mark, property: pattern.identifier.text, type: type.trimmedDescription,
            access: variable.modifiers.accessLevel, initialValue: binding.initializer?.value.trimmedDescription,
            implicitValue: mark == .relationship ? "\(type.trimmedDescription)()" : "nil",
            writtenName: arguments.name?.text, transform: arguments.transform,
            options: arguments.options?.node.trimmedDescription, sourceLocation: sink.place(of: variable))
        if field.options == "[]" { field.options = nil }
        check(type, of: field)
        checkName(of: field, arguments.name?.node, pattern.identifier)
        return field
    }

    /// Whether the declaration is a stored variable.
    private func isFitting() -> Bool {
        let name = "'@\(mark.rawValue)'"
        if variable.bindings.count > 1 {
            sink.error("\(name) can only be attached to one property: give each a 'var' of its own", at: attribute)
        } else if let modifier = variable.modifiers.first("static", "class", "lazy", "weak", "unowned") {
            sink.error("\(name) cannot be attached to a '\(modifier.name.text)' property", at: modifier)
        } else if !variable.isStored {
            sink.error(
                "\(name) needs a stored property: a computed property cannot keep the server's value", at: attribute)
        } else if variable.bindingSpecifier.text == "let" {
            let specifier = variable.bindingSpecifier
            sink.error(
                "\(name) needs a 'var': a constant cannot be read from a document", at: specifier,
                Repair("replace 'let' by 'var'", replace: specifier, by: specifier.with(\.tokenKind, .keyword(.var))))
        } else {
            return true
        }
        return false
    }

    private func missingType(_ binding: PatternBindingSyntax) {
        let message = "\(mark.noun) needs a written type, because the macro cannot infer it"
        guard let guess = binding.initializer?.value.literalType else {
            return sink.error(message, at: binding)
        }
        let typed = binding.with(\.pattern.trailingTrivia, [])
            .with(\.typeAnnotation, TypeAnnotationSyntax(type: TypeSyntax(" \(raw: guess) ")))
        sink.error(message, at: binding, Repair("add ': \(guess)'", replace: binding, by: typed))
    }

    private func check(_ type: TypeSyntax, of field: FieldDeclaration) {
        switch mark {
        case .relationship: checkRelationship(type)
        case .attribute where type.isRelationship:
            let name = attribute.attributeName
            sink.error(
                "a property of type '\(field.type)' is a relationship", at: attribute,
                Repair("replace '@Attribute' by '@Relationship'", replace: name, byType: "Relationship"))
        case .attribute: checkAttribute(type, of: field)
        }
    }

    private func checkAttribute(_ type: TypeSyntax, of field: FieldDeclaration) {
        if let json = type.writtenAsJSON {
            sink.error(
                "an attribute cannot have the type '\(field.type)', which can hold values that are not JSON: "
                    + "use '\(json)' of WireJSON", at: type,
                Repair("use '\(json)'", replace: type, byType: json))
            return
        }
        let optional = "\((type.wrapped ?? type).trimmedDescription)?"
        let repair = Repair("use '\(optional)'", replace: type, byType: optional)
        if type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            sink.error("an attribute cannot be implicitly unwrapped: the server can omit it", at: type, repair)
        } else if !type.isOptional, field.initialValue == nil {
            sink.error(
                "an attribute needs an initial value or an optional type, because the server can omit it", at: type,
                repair)
        }
    }

    private func checkRelationship(_ type: TypeSyntax) {
        guard !type.isRelationship else { return }
        let inner = type.wrapped ?? type
        let replacement: String
        if inner.isRelationship {
            replacement = inner.trimmedDescription
        } else if let element = inner.as(ArrayTypeSyntax.self)?.element {
            replacement = "ToMany<\(element.trimmedDescription)>"
        } else if let generic = inner.generic, generic.arguments.count == 1 {
            replacement =
                "\(generic.name == "Optional" ? "ToOne" : "ToMany")<\(generic.arguments[0].trimmedDescription)>"
        } else {
            replacement = "ToOne<\(inner.trimmedDescription)>"
        }
        let message =
            inner.isRelationship
            ? "a relationship cannot be optional: its linkage can be empty or not loaded"
            : "the type of a relationship must be 'ToOne' or 'ToMany', not '\(type.trimmedDescription)'"
        sink.error(message, at: type, Repair("use '\(replacement)'", replace: type, byType: replacement))
    }

    // MARK: Names

    /// Properties of every resource.
    static let resourceProperties: Set<String> = ["id", "lid", "links", "meta", "state", "isNew", "isDirty", "changes"]

    /// Checks the name of a field, in Swift and in documents.
    ///
    /// - Parameter literal: The name in the attribute, if it sets one.
    private func checkName(of field: FieldDeclaration, _ literal: ExprSyntax?, _ identifier: TokenSyntax) {
        let name = field.documentName
        let node = literal.map { Syntax($0) } ?? Syntax(identifier)
        if !MemberNameRule.allows(name) {
            illegal(name, of: field, at: node)
        } else if kind == .resource, name == "type" || name == "id" {
            let message =
                "\(field.mark.noun) cannot have the name \"\(name)\" in documents: "
                + "JSON:API reserves it for the resource itself"
            if name == "id", literal == nil {
                sink.error("\(message); a resource has the property 'id' already", at: node)
            } else {
                sink.error(message, at: node, rename(to: "<#name#>", property: nil))
            }
        } else if kind == .resource, Self.resourceProperties.contains(field.property.plain) {
            sink.error(
                "a resource has the property '\(field.property.plain)' already; give this property another name, and "
                    + "keep \"\(name)\" as its name in documents", at: identifier,
                rename(to: name, property: "<#property#>"))
        }
    }

    private func illegal(_ name: String, of field: FieldDeclaration, at node: Syntax) {
        let message =
            name.isEmpty
            ? "the name in documents must not be empty"
            : "\"\(name)\" is not a legal name in documents: it must begin and end with a letter or a digit, and contain "
                + "only letters, digits, '-', '_' and spaces"
        let suggestion = Self.legalName(like: name.isEmpty ? field.property.plain : name)
        guard MemberNameRule.allows(suggestion) else { return sink.error(message, at: node) }
        sink.error(message, at: node, rename(to: suggestion, property: nil))
    }

    /// Replaces illegal characters by hyphens, and removes hyphens at both ends.
    private static func legalName(like name: String) -> String {
        let replaced = name.map { MemberNameRule.allows("a\($0)a") && $0 != ":" ? $0 : "-" }
        let isOuter = { (character: Character) in MemberNameRule.allows(String(character)) }
        guard let first = replaced.firstIndex(where: isOuter), let last = replaced.lastIndex(where: isOuter) else {
            return ""
        }
        return String(replaced[first...last])
    }

    /// Sets the field's name in documents, and also renames the property if `property` is not `nil`.
    private func rename(to name: String, property: String?) -> Repair {
        let others = attribute.labeledArguments.filter { !$0.expression.is(StringLiteralExprSyntax.self) }
        let named = attribute.with([LabeledExprSyntax(expression: ExprSyntax(stringLiteral: name.literal))] + others)
        guard let property, let binding = variable.bindings.first else {
            return Repair("use the name \"\(name)\"", replace: attribute, by: named)
        }
        let pattern = IdentifierPatternSyntax(identifier: .identifier(property))
            .with(\.trailingTrivia, binding.pattern.trailingTrivia)
        let renamed = variable.replacing(mark.rawValue, by: named)
            .with(\.bindings, [binding.with(\.pattern, PatternSyntax(pattern))])
        return Repair("rename the property", replace: variable, by: renamed)
    }
}

extension TypeSyntax {
    /// Whether the type is written as `ToOne` or `ToMany`.
    fileprivate var isRelationship: Bool {
        ["ToOne", "ToMany"].contains(generic?.name) && generic?.arguments.count == 1
    }

    /// The type with WireJSON's types in place of `Any` and `[String: Any]`, or `nil` if it contains neither.
    fileprivate var writtenAsJSON: String? {
        if let inner = wrapped?.writtenAsJSON { return "\(inner)?" }
        if let inner = self.as(ArrayTypeSyntax.self)?.element.writtenAsJSON {
            return "[\(inner)]"
        }
        if let dictionary = self.as(DictionaryTypeSyntax.self) {
            guard let inner = dictionary.value.writtenAsJSON else { return nil }
            let isObject = dictionary.key.trimmedDescription == "String" && ["JSONValue", "JSONValue?"].contains(inner)
            return isObject ? "JSONObject" : "[\(dictionary.key.trimmedDescription): \(inner)]"
        }
        return ["Any", "AnyObject", "AnyHashable", "any Sendable"].contains(trimmedDescription) ? "JSONValue" : nil
    }
}
