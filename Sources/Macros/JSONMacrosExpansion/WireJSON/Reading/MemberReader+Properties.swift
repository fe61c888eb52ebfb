// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

extension MemberReader {
    func read(_ structure: StructDeclSyntax) -> CodedType.Content {
        var properties: [CodedProperty] = []
        for member in structure.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                variable.modifiers.first("static", "class") == nil, variable.isStored
            else { continue }
            read(variable, into: &properties)
        }
        guard let keys, !sink.hasErrors else { return .properties(properties) }
        keys.checkAll(are: properties.map(\.name.plain), sink)
        // The order of the members is that of the keys.
        return .properties(keys.tokens.compactMap { key in properties.first { $0.name.plain == key.text.plain } })
    }

    private func read(_ variable: VariableDeclSyntax, into properties: inout [CodedProperty]) {
        let bindings = Array(variable.bindings)
        let key = WrittenKey(variable.attributes, sink)
        if let key, bindings.count > 1 {
            return sink.error(
                "'@JSONKey' can only be attached to one property: give each a 'var' of its own", at: key.node)
        }
        for (index, binding) in bindings.enumerated() {
            guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
                sink.error("the macro needs one name for each property", at: binding.pattern)
                continue
            }
            let name = pattern.identifier.text
            guard let memberName = memberName(name, key) else {
                if let key { sink.error("'CodingKeys' has no case '\(name.plain)'", at: key.node) }
                if !hasValue(variable, bindings, index) {
                    sink.error(
                        "'\(name.plain)' needs an initial value, because 'CodingKeys' has no case for it",
                        at: binding.pattern)
                }
                continue
            }
            if let key, keys != nil {
                twoNames(key)
                continue
            }
            guard isFitting(variable) else { continue }
            if let part = writtenType(bindings, index)?.uncodable { sink.uncodable(part) }
            let type = writtenType(bindings, index).map { (scope.type($0), $0.isOptional) }
            guard let type = type ?? inferredType(binding) else { continue }
            let value = binding.initializer.map { DefaultValue($0.value, scope) }
            let isConstant = variable.bindingSpecifier.text == "let" && value != nil
            if !isConstant, let place = binding.initializer?.value.place {
                sink.error(
                    "'\(place.trimmedDescription)' would refer to generated code: use a static property", at: place)
            }
            let property = CodedProperty(
                name: name, type: type.0, isOptional: type.1, defaultValue: type.1 ? nil : value,
                isConstant: isConstant, key: memberName)
            if let other = properties.first(where: { $0.key == property.key }) {
                repeated(property.key, other.name, at: key.map { Syntax($0.node) } ?? Syntax(binding.pattern))
            }
            properties.append(property)
        }
    }

    /// The type of `x` in `var x: Int`, or in `var x, y: Int`.
    private func writtenType(_ bindings: [PatternBindingSyntax], _ index: Int) -> TypeSyntax? {
        for binding in bindings[index...] {
            if let annotation = binding.typeAnnotation { return annotation.type }
            if binding.initializer != nil { return nil }
        }
        return nil
    }

    /// Whether a property has a value if no initializer sets it.
    private func hasValue(_ variable: VariableDeclSyntax, _ bindings: [PatternBindingSyntax], _ index: Int) -> Bool {
        let isVariable = variable.bindingSpecifier.text == "var"
        let type = writtenType(bindings, index)
        return bindings[index].initializer != nil || !variable.attributes.named.isEmpty
            || variable.modifiers.first("lazy") != nil
            || isVariable
                && (type?.is(OptionalTypeSyntax.self) == true
                    || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true)
    }

    /// Reports a property that the compiler does not code as a value of its type.
    private func isFitting(_ variable: VariableDeclSyntax) -> Bool {
        if let modifier = variable.modifiers.first("lazy", "weak", "unowned") {
            sink.error("a '\(modifier.name.text)' property cannot be a member", at: modifier)
            return false
        }
        let harmless: Set = ["JSONKey", "available", "usableFromInline", "inlinable"]
        if let wrapper = variable.attributes.named.first(where: { !harmless.contains($0.plainName) }) {
            sink.error(
                "'@JSONCodable' does not know what '@\(wrapper.plainName)' makes of the property: write 'Codable' in "
                    + "place of the macro", at: wrapper)
            return false
        }
        return true
    }

    /// The type of the literal that is the initial value.
    private func inferredType(_ binding: PatternBindingSyntax) -> (String, Bool)? {
        if let type = binding.initializer?.value.withoutSign.literalType { return ("Swift.\(type)", false) }
        sink.error("a member needs a written type, because the macro cannot infer it", at: binding.pattern)
        return nil
    }
}

extension ExprSyntax {
    /// The first literal in the value whose meaning depends on its position, such as `#line`.
    fileprivate var place: MacroExpansionExprSyntax? {
        let places = ["line", "column", "file", "fileID", "filePath", "function", "dsohandle", "isolation"]
        return tokens(viewMode: .sourceAccurate).lazy
            .compactMap { $0.parent?.as(MacroExpansionExprSyntax.self) }
            .first { places.contains($0.macroName.text) }
    }

    /// The number without its minus sign, or the expression itself.
    fileprivate var withoutSign: ExprSyntax {
        guard let negative = self.as(PrefixOperatorExprSyntax.self), negative.operator.text == "-" else { return self }
        let number = negative.expression
        return number.is(IntegerLiteralExprSyntax.self) || number.is(FloatLiteralExprSyntax.self) ? number : self
    }
}

extension DefaultValue {
    init(_ expression: ExprSyntax, _ scope: SourceScope) {
        let value = expression.withoutSign
        let literals: Set<SyntaxKind> = [.booleanLiteralExpr, .integerLiteralExpr, .floatLiteralExpr]
        let isText = value.literalText != nil
        self.init(source: scope.value(expression), isLiteral: isText || literals.contains(value.kind))
    }
}
