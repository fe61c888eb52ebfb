// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

extension AttributeSyntax {
    /// The name without its module.
    var plainName: String {
        attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    var labeledArguments: [LabeledExprSyntax] {
        if case .argumentList(let list) = arguments { Array(list) } else { [] }
    }
}

extension AttributeListSyntax {
    var named: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }
}

extension DeclModifierListSyntax {
    func first(_ names: String...) -> DeclModifierSyntax? { first { names.contains($0.name.text) } }

    /// The modifier of members that are as visible as this type.
    var memberModifier: String {
        switch first("public", "package")?.name.text {
        case "public": "public "
        case "package": "package "
        default: ""
        }
    }
}

extension TypeSyntax {
    /// Whether the type is written as optional.
    var isOptional: Bool {
        if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return true }
        let name = self.as(IdentifierTypeSyntax.self)?.name ?? self.as(MemberTypeSyntax.self)?.name
        return name?.text == "Optional"
    }

    /// The type as it is written in an expression: `T!` is `T?` there.
    var expression: String {
        guard let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return trimmedDescription }
        return "\(unwrapped.wrappedType.trimmedDescription)?"
    }
}

extension VariableDeclSyntax {
    /// Whether the property is stored. Observers do not matter.
    var isStored: Bool {
        bindings.allSatisfy { binding in
            guard let block = binding.accessorBlock else { return true }
            guard case .accessors(let accessors) = block.accessors else { return false }
            return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        }
    }
}

extension String {
    /// The text as a string literal.
    var literal: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\\", "\"": "\\\(scalar)"
            case "\0"..."\u{1F}", "\u{7F}": "\\u{\(String(scalar.value, radix: 16))}"
            case _: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
