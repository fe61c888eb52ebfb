// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser
import SwiftSyntax

/// Reads the cases of an enumeration.
struct CaseReader {
    private static let numbers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
    ]

    let naming: KeyNaming
    let keys: OwnKeys?
    let sink: DiagnosticSink

    func read(_ enumeration: EnumDeclSyntax) -> CodedType.Content {
        let declarations = enumeration.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
        if declarations.isEmpty {
            sink.error("noCases", "an enumeration without cases has no values", at: enumeration.name)
        }
        let raw = enumeration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
        if let raw, raw == "String" || Self.numbers.contains(raw) {
            for declaration in declarations {
                guard let key = WrittenKey(declaration.attributes, sink) else { continue }
                sink.error("rawName", "the text of the case is its raw value: write 'case x = …'", at: key.node)
            }
            return raw == "String" ? texts(declarations) : .numbers(type: raw)
        }
        return cases(declarations)
    }

    private func texts(_ declarations: [EnumCaseDeclSyntax]) -> CodedType.Content {
        var texts: [(name: String, text: String)] = []
        for element in declarations.flatMap({ Array($0.elements) }) {
            let name = element.name.text
            // The compiler allows nothing but literals.
            let text = element.rawValue?.value.as(StringLiteralExprSyntax.self)?.representedLiteralValue
            texts.append((name, text ?? name.plain))
        }
        return .texts(texts)
    }

    private func cases(_ declarations: [EnumCaseDeclSyntax]) -> CodedType.Content {
        var cases: [CodedCase] = []
        for declaration in declarations {
            let key = WrittenKey(declaration.attributes, sink)
            if let key, declaration.elements.count > 1 {
                sink.error(
                    "severalCases", "'@JSONKey' can only be attached to one case: give each a 'case' of its own",
                    at: key.node)
            }
            if let key, keys != nil {
                sink.error(
                    "twoNames", "the name in JSON is that of 'CodingKeys': remove '@JSONKey' or the case", at: key.node)
            }
            for element in declaration.elements {
                let name = element.name.text
                if let keys, keys.names[name.plain] == nil {
                    sink.error("notAKey", "'CodingKeys' has no case '\(name.plain)'", at: element.name)
                    continue
                }
                let coded = CodedCase(
                    name: name, key: keys?.names[name.plain] ?? key?.text ?? naming.name(name.plain),
                    values: values(of: element))
                if let other = cases.first(where: { $0.key == coded.key }) {
                    sink.error(
                        "repeatedName", "\(coded.key.literal) is the name of '\(other.name)' in JSON already",
                        at: element.name)
                }
                cases.append(coded)
            }
        }
        return .cases(cases)
    }

    private func values(of element: EnumCaseElementSyntax) -> [CodedValue] {
        guard let clause = element.parameterClause else { return [] }
        return clause.parameters.enumerated().map { index, parameter in
            if let value = parameter.defaultValue {
                sink.error("defaultValue", "an associated value cannot have a default value here", at: value)
            }
            let label = parameter.firstName.flatMap { $0.text == "_" ? nil : $0.text }
            return CodedValue(
                label: label, type: parameter.type.expression, isOptional: parameter.type.isOptional,
                key: label?.plain ?? "_\(index)")
        }
    }
}
