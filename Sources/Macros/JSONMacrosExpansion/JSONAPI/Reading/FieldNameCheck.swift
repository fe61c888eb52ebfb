// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// Checks the name of a field, in Swift and in documents.
struct FieldNameCheck {
    /// Properties that every resource has.
    static let resourceProperties: Set<String> = ["id", "lid", "links", "meta", "state", "isNew", "isDirty", "changes"]

    let variable: VariableDeclSyntax
    let attribute: AttributeSyntax
    let kind: FieldedType.Kind
    let field: FieldDeclaration
    let sink: DiagnosticSink

    /// - Parameter literal: The name as the attribute gives it.
    func check(_ literal: ExprSyntax?, _ identifier: TokenSyntax) {
        let name = field.writtenName ?? field.plainProperty
        let node = literal.map { Syntax($0) } ?? Syntax(identifier)
        if !MemberNameRule.allows(name) {
            illegal(name, literal, at: node)
        } else if kind == .resource, name == "type" || name == "id" {
            let message =
                "\(field.mark.noun) cannot have the name \"\(name)\" in documents: "
                + "JSON:API reserves it for the resource itself"
            if name == "id", literal == nil {
                sink.error("reservedName", "\(message); a resource has the property 'id' already", at: node)
            } else {
                sink.error("reservedName", message, at: node, rename(to: "<#name#>", property: nil))
            }
        } else if kind == .resource, Self.resourceProperties.contains(field.plainProperty) {
            sink.error(
                "resourceProperty",
                "a resource has the property '\(field.plainProperty)' already; give this property another name, and "
                    + "keep \"\(name)\" as its name in documents", at: identifier,
                rename(to: name, property: "<#property#>"))
        }
    }

    private func illegal(_ name: String, _ literal: ExprSyntax?, at node: Syntax) {
        let message =
            name.isEmpty
            ? "the name in documents must not be empty"
            : "\"\(name)\" is not a legal name in documents: it must begin and end with a letter or a digit, and contain "
                + "only letters, digits, '-', '_' and spaces"
        let suggestion = Self.legalName(like: name.isEmpty ? field.plainProperty : name)
        guard MemberNameRule.allows(suggestion) else { return sink.error("illegalName", message, at: node) }
        sink.error("illegalName", message, at: node, rename(to: suggestion, property: nil))
    }

    /// Replaces illegal characters by hyphens, and removes them at the ends.
    private static func legalName(like name: String) -> String {
        let replaced = name.map { MemberNameRule.allows("a\($0)a") && $0 != ":" ? $0 : "-" }
        let isOuter = { (character: Character) in MemberNameRule.allows(String(character)) }
        guard let first = replaced.firstIndex(where: isOuter), let last = replaced.lastIndex(where: isOuter) else {
            return ""
        }
        return String(replaced[first...last])
    }

    /// Gives the field a name in documents, and the property another name if there is one.
    private func rename(to name: String, property: String?) -> Repair {
        let others = attribute.labeledArguments.filter { !$0.expression.is(StringLiteralExprSyntax.self) }
        let arguments = ([name.literal] + others.map { $0.with(\.trailingComma, nil).trimmedDescription })
        let named = AttributeSyntax(
            "@\(raw: attribute.attributeName.trimmedDescription)(\(raw: arguments.joined(separator: ", ")))")
        guard let property, let binding = variable.bindings.first else {
            let named = named.with(\.leadingTrivia, attribute.leadingTrivia)
                .with(\.trailingTrivia, attribute.trailingTrivia)
            return Repair("use the name \"\(name)\"", replace: attribute, by: named)
        }
        let pattern = IdentifierPatternSyntax(identifier: .identifier(property))
            .with(\.trailingTrivia, binding.pattern.trailingTrivia)
        let attributes = variable.attributes.map { element -> AttributeListSyntax.Element in
            guard element.trimmedDescription == attribute.trimmedDescription else { return element }
            return .attribute(
                named.with(\.leadingTrivia, element.leadingTrivia).with(\.trailingTrivia, element.trailingTrivia))
        }
        let renamed = variable.with(\.attributes, AttributeListSyntax(attributes))
            .with(\.bindings, [binding.with(\.pattern, PatternSyntax(pattern))])
        return Repair("rename the property", replace: variable, by: renamed)
    }
}
