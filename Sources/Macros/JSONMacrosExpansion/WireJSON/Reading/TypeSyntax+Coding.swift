// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

/// Converts types and values to source text for a type that is nested in the coded type.
final class SourceScope: SyntaxRewriter {
    private let name: String

    /// - Parameter name: The name of the coded type, which replaces `Self`.
    init(name: String) { self.name = name }

    /// The text of a type. `T!` becomes `T?`.
    func type(_ type: TypeSyntax) -> String {
        guard let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return text(type) }
        return "\(text(unwrapped.wrappedType))?"
    }

    func value(_ value: ExprSyntax) -> String { text(value) }

    private func text(_ node: some SyntaxProtocol) -> String { rewrite(node.trimmed).trimmedDescription }

    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        token.tokenKind == .keyword(.Self) ? token.with(\.tokenKind, .identifier(name)) : token
    }
}

extension TypeSyntax {
    /// A part of the type that cannot be `Codable`, if the syntax shows one.
    var uncodable: TypeSyntax? {
        if let inner { return inner.uncodable }
        return [.tupleType, .functionType, .someOrAnyType, .metatypeType, .compositionType].contains(kind) ? self : nil
    }

    /// Returns the generic parameters in the type. If only associated types of a parameter occur, it returns these.
    func dependencies(on names: [String]) -> [String] {
        tokens(viewMode: .sourceAccurate).compactMap { token in
            guard names.contains(token.text), let parameter = token.parent?.as(IdentifierTypeSyntax.self),
                parameter.genericArgumentClause == nil
            else { return nil }
            var type = TypeSyntax(parameter)
            while let member = type.parent?.as(MemberTypeSyntax.self), member.genericArgumentClause == nil {
                type = TypeSyntax(member)
            }
            return type.trimmedDescription
        }
    }
}

extension Syntax {
    /// Whether types in this declaration have generic parameters. For an extension, this is a guess by the type's name.
    var isGenericContext: Bool {
        if asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil { return true }
        guard let type = self.as(ExtensionDeclSyntax.self) else { return false }
        let generic = ["Array", "ArraySlice", "ContiguousArray", "Dictionary", "Optional", "Range", "Result", "Set"]
        return type.genericWhereClause != nil || type.extendedType.trimmedDescription.contains(where: "<[?".contains)
            || generic.contains(type.extendedType.standardName)
    }
}

extension FunctionParameterClauseSyntax {
    /// Whether there is one parameter, with the label and with a type that contains the name.
    func has(_ label: String, _ type: String) -> Bool {
        guard parameters.count == 1, let parameter = parameters.first, parameter.firstName.text == label else {
            return false
        }
        return parameter.type.tokens(viewMode: .sourceAccurate).contains { $0.text == type }
    }
}

extension DiagnosticSink {
    /// Reports a part of a type that cannot be `Codable`.
    func uncodable(_ type: TypeSyntax) {
        error("'\(type.trimmedDescription)' cannot conform to 'Codable'", at: type)
    }
}
