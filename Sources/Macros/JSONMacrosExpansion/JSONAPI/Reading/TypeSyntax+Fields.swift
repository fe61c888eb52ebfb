// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxMacros

extension TypeSyntax {
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

extension DiagnosticSink {
    /// Checks that an extension beside the outermost type can name the type.
    func checkAccess(_ modifiers: DeclModifierListSyntax) {
        guard !context.lexicalContext.isEmpty, let modifier = modifiers.first("private") else { return }
        error(
            "privateType", "a type inside another type cannot be 'private', because the conformance is outside",
            at: modifier,
            Repair(
                "use 'fileprivate'", replace: modifier, by: modifier.with(\.name.tokenKind, .keyword(.fileprivate))))
    }
}
