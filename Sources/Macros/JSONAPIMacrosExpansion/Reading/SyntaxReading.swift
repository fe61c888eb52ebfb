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
    func first(_ name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.plainName == name }
    }
}

extension DeclModifierListSyntax {
    /// The access level; the one of a setter does not count.
    var accessLevel: AccessLevel {
        lazy.filter { $0.detail == nil }.compactMap { AccessLevel(rawValue: $0.name.text) }.first ?? .internal
    }

    func first(_ names: String...) -> DeclModifierSyntax? { first { names.contains($0.name.text) } }
}

extension TypeSyntax {
    /// Whether the type is written as optional.
    var isOptional: Bool { self.is(OptionalTypeSyntax.self) || generic?.name == "Optional" }

    /// The name without its module, and the generic arguments.
    var generic: (name: String, arguments: [String])? {
        let (name, clause) =
            if let type = self.as(IdentifierTypeSyntax.self) {
                (type.name.text, type.genericArgumentClause)
            } else if let type = self.as(MemberTypeSyntax.self) {
                (type.name.text, type.genericArgumentClause)
            } else {
                ("", GenericArgumentClauseSyntax?.none)
            }
        guard !name.isEmpty else { return nil }
        return (name, clause?.arguments.map(\.argument.trimmedDescription) ?? [])
    }

    /// Whether the type is written as `ToOne` or `ToMany`.
    var isRelationship: Bool { ["ToOne", "ToMany"].contains(generic?.name) && generic?.arguments.count == 1 }

    /// The wrapped type of a type that is written with `?` or `!`.
    var wrapped: TypeSyntax? {
        self.as(OptionalTypeSyntax.self)?.wrappedType
            ?? self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType
    }
}

extension TypeSyntax {
    /// The type with WireJSON's types in place of `Any` and of `[String: Any]`. It is `nil` if there is nothing to replace.
    var writtenAsJSON: String? {
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
        let escaped = flatMap { character -> String in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            case "\r": "\\r"
            case "\0": "\\0"
            case _: String(character)
            }
        }
        return "\"" + String(escaped) + "\""
    }
}
