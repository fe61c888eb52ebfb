// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

/// The `CodingKeys` of a type, or the coding keys of a case's values.
struct OwnKeys {
    private(set) var names: [String: String] = [:]
    /// The names of the cases in the order of the source.
    private(set) var tokens: [TokenSyntax] = []
    let declaration: EnumDeclSyntax

    init?(_ name: String, in members: MemberBlockSyntax, _ sink: DiagnosticSink) {
        let found = members.members.lazy.map(\.decl).first {
            $0.asProtocol((any NamedDeclSyntax).self)?.name.text == name && !$0.is(FunctionDeclSyntax.self)
        }
        guard let found else { return nil }
        guard let enumeration = found.as(EnumDeclSyntax.self) else {
            sink.error("the macro must see the keys: write '\(name)' as an enumeration here", at: found)
            return nil
        }
        declaration = enumeration
        for member in enumeration.memberBlock.members {
            if let cases = member.decl.as(EnumCaseDeclSyntax.self) {
                add(cases, sink)
            } else if member.decl.is(IfConfigDeclSyntax.self) || member.decl.declares("stringValue", "rawValue") {
                sink.error("the macro must see the names: write 'case x = \"…\"'", at: member.decl)
            }
        }
    }

    private mutating func add(_ cases: EnumCaseDeclSyntax, _ sink: DiagnosticSink) {
        for element in cases.elements {
            let name = element.name.text.plain
            tokens.append(element.name)
            names[name] = name
            guard let value = element.rawValue?.value else { continue }
            guard let text = value.literalText else {
                sink.error("the macro needs a string literal without interpolation", at: value)
                continue
            }
            names[name] = text
        }
    }

    /// Reports keys without a property or value.
    func checkAll(are known: [String], _ sink: DiagnosticSink) {
        for token in tokens where !known.contains(token.text.plain) {
            sink.error("there is no stored property or value '\(token.text.plain)' for this key", at: token)
        }
    }
}

extension DeclSyntax {
    /// Whether this is a property with one of the names, or an initializer with one of them as its only label.
    func declares(_ names: String...) -> Bool {
        if let initializer = self.as(InitializerDeclSyntax.self) {
            let labels = initializer.signature.parameterClause.parameters.map(\.firstName.text)
            return names.contains { labels == [$0] }
        }
        let bindings = self.as(VariableDeclSyntax.self)?.bindings
        return bindings?.contains { names.contains($0.pattern.trimmedDescription) } == true
    }
}
