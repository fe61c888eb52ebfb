// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftDiagnostics
import SwiftSyntax

extension TypeSyntax {
    var isVoid: Bool {
        if let tuple = self.as(TupleTypeSyntax.self) { return tuple.elements.isEmpty }
        return ["Void", "Swift.Void"].contains(trimmedDescription)
    }

    /// True for what is written as an optional. An optional behind a `typealias` cannot be seen.
    var isOptional: Bool {
        if self.is(OptionalTypeSyntax.self) { return true }
        return ["Optional", "Swift.Optional"].contains { trimmedDescription.hasPrefix("\($0)<") }
    }

    /// The function type, behind attributes, parentheses and an optional.
    var functionType: FunctionTypeSyntax? {
        if let type = self.as(FunctionTypeSyntax.self) { return type }
        if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.functionType }
        if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.functionType }
        if let type = self.as(TupleTypeSyntax.self), type.elements.count == 1 {
            return type.elements.first?.type.functionType
        }
        return nil
    }

    /// What to write for an `any`, a `some`, an `Any`, or an optional that is unwrapped implicitly.
    var fixes: [(String, [FixIt.Change])] {
        if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            let optional = TypeSyntax(OptionalTypeSyntax(wrappedType: type.wrappedType))
                .with(\.trailingTrivia, trailingTrivia)
            return [
                (
                    "make it '\(optional.trimmedDescription)'",
                    [.replace(oldNode: Syntax(self), newNode: Syntax(optional))]
                )
            ]
        }
        guard self.is(SomeOrAnyTypeSyntax.self) || trimmedDescription == "Any" else { return [] }
        let value = TypeSyntax(IdentifierTypeSyntax(name: .identifier("JSONValue")))
            .with(\.leadingTrivia, leadingTrivia).with(\.trailingTrivia, trailingTrivia)
        return [("make it a 'JSONValue'", [.replace(oldNode: Syntax(self), newNode: Syntax(value))])]
    }

    /// Why no value of this type can be encoded or decoded, as far as it can be seen; nil when nothing is.
    var codingFault: String? {
        if functionType != nil { return "a function" }
        if self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return "unwrapped implicitly: write an optional" }
        if let type = self.as(SomeOrAnyTypeSyntax.self) {
            return type.someOrAnySpecifier.text == "any"
                ? "an 'any': what comes is decoded as one type; write it, or 'JSONValue'"
                : "a 'some': its type must be known where it is served; write it, or 'JSONValue'"
        }
        if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.codingFault }
        if let type = self.as(ArrayTypeSyntax.self) { return type.element.codingFault }
        if let type = self.as(DictionaryTypeSyntax.self) { return type.value.codingFault }
        if let tuple = self.as(TupleTypeSyntax.self) {
            if tuple.elements.count == 1 { return tuple.elements.first?.type.codingFault }
            return "a tuple: write a struct"
        }
        if self.is(MetatypeTypeSyntax.self) { return "a type" }
        if trimmedDescription == "Self" { return "'Self': write the type itself" }
        if trimmedDescription == "Any" { return "'Any': write 'JSONValue'" }
        return nil
    }
}
