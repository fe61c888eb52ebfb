// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

extension TypeSyntax {
    var isVoid: Bool {
        if let tuple = self.as(TupleTypeSyntax.self) { return tuple.elements.isEmpty }
        return ["Void", "Swift.Void"].contains(trimmedDescription)
    }

    /// Whether the type is one of the standard library that encodes neither as an array nor as an object, or an
    /// optional of one. A `typealias` cannot be resolved here. Its call fails with `encodingFailed`.
    var isScalar: Bool {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.isScalar }
        return Self.scalars.contains(standardName)
    }

    private static let scalars: Set<String> = [
        "Bool", "Character", "Double", "Float", "Float16", "Float80", "Int", "Int8", "Int16", "Int32", "Int64",
        "Int128",
        "String", "Substring", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    ]

    /// The first argument of the generic type with this name: the `T` of `NotificationStream<T>`.
    func firstArgument(of name: String) -> TypeSyntax? {
        guard let generic, generic.name == name, case .type(let type)? = generic.arguments.first else { return nil }
        return type
    }

    /// Whether the type is `any Error`.
    var isAnyError: Bool { ["any Error", "any Swift.Error", "Error"].contains(trimmedDescription) }

    /// The function type without attributes, parentheses and an optional.
    var functionType: FunctionTypeSyntax? {
        if let type = self.as(FunctionTypeSyntax.self) { return type }
        if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.functionType }
        if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.functionType }
        if let type = self.as(TupleTypeSyntax.self), type.elements.count == 1 {
            return type.elements.first?.type.functionType
        }
        return nil
    }

    /// Replacements for an `any`, a `some`, an `Any` and an implicitly unwrapped optional.
    var repairs: [Repair] {
        if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            let optional = "\(type.wrappedType.trimmedDescription)?"
            return [Repair("make it '\(optional)'", replace: self, byType: optional)]
        }
        guard self.is(SomeOrAnyTypeSyntax.self) || trimmedDescription == "Any" else { return [] }
        return [Repair("make it a 'JSONValue'", replace: self, byType: "JSONValue")]
    }

    /// The reason why the type cannot be encoded or decoded, if the syntax shows one.
    var codingFault: String? {
        if functionType != nil { return "a function" }
        if self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return "unwrapped implicitly: write an optional" }
        if let type = self.as(SomeOrAnyTypeSyntax.self) {
            return type.someOrAnySpecifier.text == "any"
                ? "an 'any': decoding needs a concrete type; write it, or 'JSONValue'"
                : "a 'some': calls need concrete types; write the type, or 'JSONValue'"
        }
        if let inner { return inner.codingFault }
        if self.is(TupleTypeSyntax.self) { return "a tuple: write a struct" }
        if self.is(MetatypeTypeSyntax.self) { return "a type" }
        if trimmedDescription == "Self" { return "'Self': write the type itself" }
        if trimmedDescription == "Any" { return "'Any': write 'JSONValue'" }
        return nil
    }
}
