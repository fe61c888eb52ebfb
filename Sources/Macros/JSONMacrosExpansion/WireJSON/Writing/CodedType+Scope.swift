// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Names in the type's own scope for types and values in its declaration. An extension does not see the declarations
/// around a nested type, so a name could mean something else there.
extension CodedType {
    private static let scope = "JSONScope"
    private static let scalars: Set<String> = [
        "Bool", "String", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16",
        "UInt32", "UInt64",
    ]

    /// Whether a type has the same meaning in an extension. A nested type can see shadowed names.
    private func isUniversal(_ type: String) -> Bool {
        let names = type.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == "`") }
        return names.allSatisfy { name in
            if name.hasPrefix("Swift.") { return Self.scalars.contains(String(name.dropFirst(6))) }
            return !isNested && Self.scalars.contains(String(name))
        }
    }

    /// The name of a type in an extension.
    func scopedType(_ type: String, of name: String) -> String {
        isUniversal(type) ? type : "\(Self.scope).\(Self.typeName(name))"
    }

    /// The value of a property in an extension.
    func scopedValue(_ value: DefaultValue, of name: String) -> String {
        value.isLiteral ? value.source : "\(Self.scope).\(Self.valueName(name))"
    }

    /// Whether a type could be an alias of an optional type, or an optional type in parentheses.
    func canBeOptional(_ type: String) -> Bool { !type.hasPrefix("[") && (type.hasPrefix("(") || !isUniversal(type)) }

    private static func typeName(_ name: String) -> String { "Type_\(name.plain)".identifier }

    private static func valueName(_ name: String) -> String { "value_\(name.plain)".identifier }

    /// The declaration of the names as a member of the type, or `nil` if none is needed.
    var scopeMember: String? {
        var names = CodeText()
        names.nested(writeNames)
        return names.text.isEmpty ? nil : "private enum \(Self.scope) {\n\(names.text)\n}"
    }

    private func writeNames(_ lines: inout CodeText) {
        switch content {
        case .texts, .rawValues: break
        case .properties(let properties):
            for property in properties where !property.isConstant {
                add(property.type, property.name, to: &lines)
                guard let value = property.defaultValue, !value.isLiteral else { continue }
                let attribute = isolation.map { "\($0) " } ?? ""
                lines.line(
                    "\(attribute)static var \(Self.valueName(property.name)): \(property.type) { \(value.source) }")
            }
        case .cases(let cases):
            for coded in cases {
                for (place, value) in coded.values.enumerated() {
                    add(value.type, coded.name(of: place), to: &lines)
                }
            }
        }
    }

    private func add(_ type: String, _ name: String, to lines: inout CodeText) {
        guard !isUniversal(type) else { return }
        lines.line("typealias \(Self.typeName(name)) = \(type)")
    }
}
