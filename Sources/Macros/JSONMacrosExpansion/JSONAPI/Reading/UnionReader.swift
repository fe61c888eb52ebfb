// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// An enumeration with `@ResourceUnion`.
struct UnionDeclaration {
    struct Case {
        /// The name as it is written.
        var name: String
        /// The label of the payload, with its colon.
        var label: String
        var type: String
    }

    var name: String
    var access: AccessLevel
    var cases: [Case] = []
}

struct UnionReader {
    let sink: DiagnosticSink

    /// Returns `nil` if an error was reported.
    func read(_ declaration: some DeclGroupSyntax) -> UnionDeclaration? {
        guard let enumeration = declaration.as(EnumDeclSyntax.self) else {
            let keyword = declaration.introducer
            sink.error(
                "'@ResourceUnion' can only be attached to an enum with a case for each resource type", at: keyword)
            return nil
        }
        if let clause = enumeration.genericParameterClause {
            sink.error("a union of resources cannot be generic", at: clause)
        }
        sink.checkAccess(enumeration.modifiers)
        var result = UnionDeclaration(name: enumeration.name.text, access: enumeration.modifiers.accessLevel)
        var unknown: EnumCaseElementSyntax?
        for member in enumeration.memberBlock.members {
            if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                sink.error("the macro does not evaluate '#if'; put it around the whole type", at: condition)
            }
            for element in member.decl.as(EnumCaseDeclSyntax.self)?.elements ?? [] {
                read(element, into: &result, &unknown)
            }
        }
        if unknown == nil, !sink.hasErrors { missingUnknown(enumeration) }
        if result.cases.isEmpty, !sink.hasErrors {
            sink.error("a union needs a case for each resource type", at: enumeration.name)
        }
        return sink.hasErrors ? nil : result
    }

    private func read(
        _ element: EnumCaseElementSyntax, into result: inout UnionDeclaration, _ unknown: inout EnumCaseElementSyntax?
    ) {
        let name = element.name.text
        guard let parameters = element.parameterClause?.parameters, parameters.count == 1,
            let payload = parameters.first
        else {
            let example = name == "unknown" ? "unknown(ResourceObject)" : "\(name)(<#Resource#>)"
            return sink.error(
                "the case '\(name)' needs exactly one payload, such as '\(example)'", at: element,
                Repair(
                    "use '\(example)'", replace: element,
                    by: EnumCaseElementSyntax(name: .identifier(example), trailingComma: element.trailingComma)))
        }
        if payload.type.generic?.name == "ResourceObject" {
            readUnknown(element, payload, &unknown)
        } else if name == "unknown" {
            sink.error(
                "the payload of the case 'unknown' must be a 'ResourceObject'", at: payload.type,
                Repair("use 'ResourceObject'", replace: payload.type, byType: "ResourceObject"))
        } else {
            let type = payload.type.trimmedDescription
            if let other = result.cases.first(where: { $0.type == type }) {
                sink.error("'\(type)' is the payload of the case '\(other.name)' already", at: payload.type)
            }
            let label = payload.firstName.map { $0.text == "_" ? "" : "\($0.text): " } ?? ""
            result.cases.append(.init(name: name, label: label, type: type))
        }
    }

    private func readUnknown(
        _ element: EnumCaseElementSyntax, _ payload: EnumCaseParameterSyntax, _ unknown: inout EnumCaseElementSyntax?
    ) {
        if unknown != nil {
            sink.error("a union has only one case for resources of unknown types", at: element)
        } else if element.name.text != "unknown" {
            sink.error(
                "the case for resources of unknown types must have the name 'unknown'", at: element.name,
                Repair("use 'unknown'", replace: element.name, by: TokenSyntax.identifier("unknown")))
        } else if let label = payload.firstName, label.text != "_" {
            sink.error(
                "the payload of the case 'unknown' cannot have a label", at: label,
                Repair(
                    "remove '\(label.text):'", replace: payload,
                    by: payload.with(\.firstName, nil).with(\.colon, nil)))
        }
        unknown = element
    }

    private func missingUnknown(_ enumeration: EnumDeclSyntax) {
        let block = enumeration.memberBlock
        let indent = block.members.first?.leadingTrivia ?? [.newlines(1), .spaces(4)]
        let added = MemberBlockItemSyntax(decl: DeclSyntax("case unknown(ResourceObject)"))
            .with(\.leadingTrivia, indent)
        sink.error(
            "a union needs the case 'unknown(ResourceObject)', because a server can add resource types",
            at: enumeration.name,
            Repair(
                "add 'case unknown(ResourceObject)'", replace: block,
                by: block.with(\.members, block.members + [added])))
    }
}
