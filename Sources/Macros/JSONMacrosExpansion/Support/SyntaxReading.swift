// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser
import SwiftSyntax

extension AttributeSyntax {
    /// The name without its module.
    var plainName: String {
        attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    var labeledArguments: [LabeledExprSyntax] {
        if case .argumentList(let list) = arguments { Array(list) } else { [] }
    }

    /// The argument with the label, or the unlabelled one for `nil`.
    func argument(_ label: String?) -> ExprSyntax? { labeledArguments.first { $0.label?.text == label }?.expression }
}

extension AttributeListSyntax {
    var named: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }

    /// The `@available` attributes, which generated declarations repeat.
    var availability: [String] { named.filter { $0.plainName == "available" }.map(\.trimmedDescription) }

    /// The `@available` attributes for the line of a declaration, each followed by a space.
    var availabilityPrefix: String { availability.map { "\($0) " }.joined() }

    func first(_ name: String) -> AttributeSyntax? { named.first { $0.plainName == name } }
}

extension Syntax {
    var attributes: AttributeListSyntax? { asProtocol((any WithAttributesSyntax).self)?.attributes }
}

extension DeclModifierListSyntax {
    /// The access level, without that of a setter.
    var accessLevel: AccessLevel {
        lazy.filter { $0.detail == nil }.compactMap { AccessLevel(rawValue: $0.name.text) }.first ?? .internal
    }

    func first(_ names: String...) -> DeclModifierSyntax? { first { names.contains($0.name.text) } }
}

/// An access level, in ascending order.
enum AccessLevel: String, CaseIterable, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`

    static func < (left: AccessLevel, right: AccessLevel) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The modifier of a member that is as visible as its type.
    var memberModifier: String { self >= .package ? "\(rawValue) " : "" }

    var modifier: String { self == .internal ? "" : "\(rawValue) " }
}

extension TypeSyntax {
    /// Whether the type is written as optional.
    var isOptional: Bool {
        if wrapped != nil { return true }
        let identifier = self.as(IdentifierTypeSyntax.self)
        return standardName == "Optional" && (identifier == nil || identifier?.genericArgumentClause != nil)
    }

    /// The name without generic arguments, and without the module of the standard library.
    var standardName: String {
        if let member = self.as(MemberTypeSyntax.self), member.baseType.trimmedDescription == "Swift" {
            return member.name.text
        }
        return self.as(IdentifierTypeSyntax.self)?.name.text ?? trimmedDescription
    }

    /// The name without its module, and the generic arguments.
    var generic: (name: String, arguments: [GenericArgumentSyntax.Argument])? {
        if let type = self.as(IdentifierTypeSyntax.self) {
            return (type.name.text, type.genericArgumentClause?.arguments.map(\.argument) ?? [])
        }
        guard let type = self.as(MemberTypeSyntax.self) else { return nil }
        return (type.name.text, type.genericArgumentClause?.arguments.map(\.argument) ?? [])
    }

    /// The wrapped type, if the type is written with `?` or `!`.
    var wrapped: TypeSyntax? {
        self.as(OptionalTypeSyntax.self)?.wrappedType
            ?? self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType
    }

    /// The element type of an optional, an array, a dictionary or parentheses.
    var inner: TypeSyntax? {
        let parentheses = self.as(TupleTypeSyntax.self)?.elements
        return wrapped ?? self.as(ArrayTypeSyntax.self)?.element ?? self.as(DictionaryTypeSyntax.self)?.value
            ?? (parentheses?.count == 1 ? parentheses?.first?.type : nil)
    }
}

extension ExprSyntax {
    /// `x` of `.x` and `Type.x`.
    var caseName: String? { self.as(MemberAccessExprSyntax.self)?.declName.baseName.text }

    /// The text of a string literal without interpolation.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }

    /// The default type of a literal.
    var literalType: String? {
        switch kind {
        case .booleanLiteralExpr: "Bool"
        case .integerLiteralExpr: "Int"
        case .floatLiteralExpr: "Double"
        case .stringLiteralExpr: "String"
        case _: nil
        }
    }
}

extension VariableDeclSyntax {
    /// Whether the property is stored. It may have observers.
    var isStored: Bool {
        bindings.allSatisfy { binding in
            guard let block = binding.accessorBlock else { return true }
            guard case .accessors(let accessors) = block.accessors else { return false }
            return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        }
    }
}

extension String {
    /// A name without backticks.
    var plain: String { filter { $0 != "`" } }

    /// The source text of a literal of this string.
    var literal: String {
        "\"\(unicodeScalars.map { $0 == "'" ? "'" : $0.escaped(asASCII: false) }.joined())\""
    }
}
