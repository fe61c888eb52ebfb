// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

extension String {
    /// Whether this `@available` attribute makes a declaration unavailable.
    fileprivate var isUnavailable: Bool { contains("unavailable") || contains("obsoleted") }
}

extension MemberReader {
    private static let numbers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
        "Double", "Float",
    ]

    /// Protocols, and raw types that `Codable` ignores. Other names could be aliases of raw types.
    private static let noRawTypes: Set<String> = [
        "BitwiseCopyable", "CGFloat", "CaseIterable", "Codable", "CodingKeyRepresentable", "Comparable",
        "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Error",
        "Float16", "Float80", "Hashable", "Identifiable", "JSONReadable", "JSONWritable", "LocalizedError",
        "LosslessStringConvertible", "Sendable",
    ]

    func read(_ enumeration: EnumDeclSyntax) -> CodedType.Content {
        let declarations = enumeration.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
        for declaration in declarations where declaration.attributes.availability.contains(where: \.isUnavailable) {
            sink.error("a case that is unavailable cannot be read or written", at: declaration)
        }
        if declarations.isEmpty {
            sink.error("an enumeration without cases has no values", at: enumeration.name)
        }
        guard let first = enumeration.inheritanceClause?.inheritedTypes.first?.type else {
            return cases(enumeration, declarations)
        }
        let raw = first.standardName
        guard raw == "String" || Self.numbers.contains(raw) else {
            checkIsNoRawType(first, declarations)
            return cases(enumeration, declarations)
        }
        for declaration in declarations {
            guard let key = WrittenKey(declaration.attributes, sink) else { continue }
            sink.error("the text of the case is its raw value: write 'case x = …'", at: key.node)
        }
        // A type with its own `rawValue` can compute the strings of its cases.
        let hasOwnRawValues = enumeration.memberBlock.members.contains { $0.decl.declares("rawValue") }
        guard raw == "String", !hasOwnRawValues else { return .rawValues(type: "Swift.\(raw)") }
        return .texts(declarations.flatMap { $0.elements.map(\.name.text) })
    }

    /// Reports a type that could be an alias of `String`, which `Codable` codes as a string.
    private func checkIsNoRawType(_ type: TypeSyntax, _ declarations: [EnumCaseDeclSyntax]) {
        let cases = declarations.flatMap { Array($0.elements) }
        guard !Self.noRawTypes.contains(type.standardName), cases.allSatisfy({ $0.parameterClause == nil }),
            type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self)
        else { return }
        sink.error(
            "the macro must see whether '\(type.trimmedDescription)' is a raw type: write the type in place of an "
                + "alias, and protocols of your own after one of the standard library, such as 'Sendable'", at: type)
    }

    private func cases(_ enumeration: EnumDeclSyntax, _ declarations: [EnumCaseDeclSyntax]) -> CodedType.Content {
        var cases: [CodedCase] = []
        for declaration in declarations {
            let key = WrittenKey(declaration.attributes, sink)
            if let key, declaration.elements.count > 1 {
                sink.error("'@JSONKey' can only be attached to one case: give each a 'case' of its own", at: key.node)
            }
            if let key, keys != nil { twoNames(key) }
            for element in declaration.elements {
                let name = element.name.text
                guard let memberName = memberName(name, key) else {
                    sink.error("'CodingKeys' has no case '\(name.plain)'", at: element.name)
                    continue
                }
                let valueKeys = OwnKeys(CodedCase.keysName(name), in: enumeration.memberBlock, sink)
                let coded = CodedCase(
                    name: name, key: memberName, values: values(of: element, valueKeys), hasOwnKeys: valueKeys != nil)
                if let other = cases.first(where: { $0.key == coded.key }) {
                    repeated(coded.key, other.name, at: element.name)
                }
                cases.append(coded)
            }
        }
        keys?.checkAll(are: cases.map(\.name.plain), sink)
        return .cases(cases)
    }

    private func values(of element: EnumCaseElementSyntax, _ keys: OwnKeys?) -> [CodedValue] {
        let parameters = element.parameterClause.map { Array($0.parameters) } ?? []
        let values = parameters.enumerated().map { index, parameter in
            if let value = parameter.defaultValue {
                sink.error("an associated value cannot have a default value here", at: value)
            }
            if let part = parameter.type.uncodable { sink.uncodable(part) }
            let label = parameter.firstName.flatMap { $0.text == "_" ? nil : $0.text }
            let name = label?.plain ?? "_\(index)"
            if let keys, keys.names[name] == nil {
                sink.error("'\(keys.declaration.name.text)' has no case '\(name)'", at: parameter)
            }
            return CodedValue(
                label: label, type: scope.type(parameter.type), isOptional: parameter.type.isOptional,
                name: name, key: keys?.names[name] ?? name)
        }
        keys?.checkAll(are: values.map(\.name), sink)
        return values
    }
}
