// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads the properties of a structure.
struct PropertyReader {
    let naming: KeyNaming
    let keys: OwnKeys?
    let sink: DiagnosticSink

    func read(_ structure: StructDeclSyntax) -> CodedType.Content {
        var properties: [CodedProperty] = []
        for member in structure.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                variable.modifiers.first("static", "class") == nil, variable.isStored
            else { continue }
            read(variable, into: &properties)
        }
        return .properties(properties)
    }

    private func read(_ variable: VariableDeclSyntax, into properties: inout [CodedProperty]) {
        let bindings = Array(variable.bindings)
        let key = WrittenKey(variable.attributes, sink)
        if let key, bindings.count > 1 {
            return sink.error(
                "severalProperties", "'@JSONKey' can only be attached to one property: give each a 'var' of its own",
                at: key.node)
        }
        for (index, binding) in bindings.enumerated() {
            guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
                sink.error("tuple", "the macro needs one name for each property", at: binding.pattern)
                continue
            }
            let name = pattern.identifier.text
            if let keys, keys.names[name.plain] == nil {
                if let key { sink.error("notAKey", "'CodingKeys' has no case '\(name.plain)'", at: key.node) }
                continue
            }
            if let keys, let key {
                sink.error(
                    "twoNames", "the name in JSON is that of 'CodingKeys': remove '@JSONKey' or the case", at: key.node)
                _ = keys
                continue
            }
            guard isFitting(variable) else { continue }
            // `var x, y: Int` has one type for both.
            let type = bindings[index...].lazy.compactMap(\.typeAnnotation).first?.type
            guard let type = type.map({ ($0.expression, $0.isOptional) }) ?? inferredType(binding) else { continue }
            let value = binding.initializer.map { DefaultValue($0.value) }
            let isConstant = variable.bindingSpecifier.text == "let" && value != nil
            let property = CodedProperty(
                name: name, type: type.0, isOptional: type.1, defaultValue: type.1 ? nil : value,
                isConstant: isConstant, key: keys?.names[name.plain] ?? key?.text ?? naming.name(name.plain))
            if let other = properties.first(where: { $0.key == property.key }) {
                sink.error(
                    "repeatedName", "\(property.key.literal) is the name of '\(other.name)' in JSON already",
                    at: key.map { Syntax($0.node) } ?? Syntax(binding.pattern))
            }
            properties.append(property)
        }
    }

    /// Whether the compiler codes the property as a value of its type.
    private func isFitting(_ variable: VariableDeclSyntax) -> Bool {
        if let modifier = variable.modifiers.first("lazy", "weak", "unowned") {
            sink.error("modifier", "a '\(modifier.name.text)' property cannot be a member", at: modifier)
            return false
        }
        let harmless: Set = ["JSONKey", "available", "usableFromInline", "inlinable"]
        if let wrapper = variable.attributes.named.first(where: { !harmless.contains($0.plainName) }) {
            sink.error(
                "wrapper",
                "'@JSONCodable' does not know what '@\(wrapper.plainName)' makes of the property: write 'Codable' in "
                    + "place of the macro", at: wrapper)
            return false
        }
        return true
    }

    /// The type of a literal.
    private func inferredType(_ binding: PatternBindingSyntax) -> (String, Bool)? {
        let value = binding.initializer?.value
        switch value?.as(PrefixOperatorExprSyntax.self)?.expression.kind ?? value?.kind {
        case .booleanLiteralExpr: return ("Bool", false)
        case .integerLiteralExpr: return ("Int", false)
        case .floatLiteralExpr: return ("Double", false)
        case .stringLiteralExpr: return ("String", false)
        case _:
            sink.error(
                "missingType", "a member needs a written type, because the macro cannot infer it", at: binding.pattern)
            return nil
        }
    }
}

extension DefaultValue {
    init(_ expression: ExprSyntax) {
        let value = expression.as(PrefixOperatorExprSyntax.self)?.expression ?? expression
        let literals: Set<SyntaxKind> = [.booleanLiteralExpr, .integerLiteralExpr, .floatLiteralExpr]
        let isText = value.as(StringLiteralExprSyntax.self)?.representedLiteralValue != nil
        self.init(source: expression.trimmedDescription, isLiteral: isText || literals.contains(value.kind))
    }
}
