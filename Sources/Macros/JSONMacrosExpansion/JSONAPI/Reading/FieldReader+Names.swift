// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

extension FieldReader {
    /// Properties that every resource has.
    static let resourceProperties: Set<String> = ["id", "lid", "links", "meta", "state", "isNew", "isDirty", "changes"]

    /// Checks the name of a field, in Swift and in documents.
    ///
    /// - Parameter literal: The name as the attribute gives it.
    func checkName(of field: FieldDeclaration, _ literal: ExprSyntax?, _ identifier: TokenSyntax) {
        let name = field.documentName
        let node = literal.map { Syntax($0) } ?? Syntax(identifier)
        if !MemberNameRule.allows(name) {
            illegal(name, of: field, at: node)
        } else if kind == .resource, name == "type" || name == "id" {
            let message =
                "\(field.mark.noun) cannot have the name \"\(name)\" in documents: "
                + "JSON:API reserves it for the resource itself"
            if name == "id", literal == nil {
                sink.error("reservedName", "\(message); a resource has the property 'id' already", at: node)
            } else {
                sink.error("reservedName", message, at: node, rename(to: "<#name#>", property: nil))
            }
        } else if kind == .resource, Self.resourceProperties.contains(field.property.plain) {
            sink.error(
                "resourceProperty",
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
