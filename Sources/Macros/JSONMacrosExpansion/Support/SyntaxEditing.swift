// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

extension Repair {
    init(_ message: String, replace type: TypeSyntax, byType text: String) {
        let new = TypeSyntax(stringLiteral: text)
            .with(\.leadingTrivia, type.leadingTrivia).with(\.trailingTrivia, type.trailingTrivia)
        self.init(message, replace: type, by: new)
    }

    init(removing modifier: DeclModifierSyntax, from declaration: some WithModifiersSyntax) {
        let rest = declaration.modifiers.filter { $0.name.text != modifier.name.text }
        self.init(
            "remove '\(modifier.name.text)'", replace: declaration,
            by: declaration.with(\.modifiers, rest).with(\.leadingTrivia, declaration.leadingTrivia))
    }
}

extension WithAttributesSyntax {
    /// The same declaration with another attribute before all others.
    func marked(_ attribute: AttributeSyntax) -> Self {
        var marked = self
        marked.leadingTrivia = []
        let attribute = attribute.with(\.leadingTrivia, leadingTrivia).with(\.trailingTrivia, .space)
        marked.attributes.insert(.attribute(attribute), at: marked.attributes.startIndex)
        return marked
    }

    /// The same declaration without the attributes that have one of the names.
    func unmarked(_ names: [String]) -> Self {
        let rest = attributes.filter { !names.contains($0.as(AttributeSyntax.self)?.plainName ?? "") }
        return with(\.attributes, rest).with(\.leadingTrivia, leadingTrivia)
    }

    func replacing(_ name: String, by attribute: AttributeSyntax) -> Self {
        let index = attributes.firstIndex { $0.as(AttributeSyntax.self)?.plainName == name }
        guard let index else { return self }
        var attributes = attributes
        attributes[index] = .attribute(attribute)
        return with(\.attributes, attributes)
    }
}

extension AttributeSyntax {
    func with(_ arguments: [LabeledExprSyntax]) -> AttributeSyntax {
        var list = arguments
        for index in list.indices.dropLast() where list[index].trailingComma == nil {
            list[index].trailingComma = .commaToken(trailingTrivia: .space)
        }
        var attribute = self
        attribute.attributeName.trailingTrivia = []
        attribute.leftParen = .leftParenToken()
        attribute.arguments = .argumentList(LabeledExprListSyntax(list))
        attribute.rightParen = .rightParenToken(trailingTrivia: trailingTrivia)
        return attribute
    }
}
