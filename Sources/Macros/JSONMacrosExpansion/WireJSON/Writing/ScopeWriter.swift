// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes names for what the type's declaration refers to. An extension does not see the declarations around a nested type, so
/// types and values that are not of the standard library would mean something else there.
struct ScopeWriter {
    private static let scope = "JSONScope"
    private static let scalars: Set<String> = [
        "Bool", "String", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16",
        "UInt32", "UInt64",
    ]

    private let coded: CodedType

    init(_ coded: CodedType) { self.coded = coded }

    /// Whether a type means the same in the extension. Declarations around a nested type can have names of the standard library.
    func isUniversal(_ type: String) -> Bool {
        let names = type.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == "`") }
        return names.allSatisfy { name in
            if name.hasPrefix("Swift.") { return Self.scalars.contains(String(name.dropFirst(6))) }
            return !coded.isNested && Self.scalars.contains(String(name))
        }
    }

    /// A type, in an extension.
    func type(_ type: String, of name: String) -> String {
        isUniversal(type) ? type : "\(Self.scope).\(Self.typeName(name))"
    }

    /// A value of a property, in an extension.
    func value(_ value: DefaultValue, of name: String) -> String {
        value.isLiteral ? value.source : "\(Self.scope).\(Self.valueName(name))"
    }

    /// Whether a type could be an alias of an optional type, or one in parentheses.
    func canBeOptional(_ type: String) -> Bool { !type.hasPrefix("[") && (type.hasPrefix("(") || !isUniversal(type)) }

    private static func typeName(_ name: String) -> String { "Type_\(name.plain)".identifier }

    private static func valueName(_ name: String) -> String { "value_\(name.plain)".identifier }

    /// The name of an associated value.
    static func name(of coded: CodedCase, _ place: Int) -> String { "\(coded.name.plain)_\(place)" }

    /// The member of the type, if it needs any names.
    var member: String? {
        var names = CodeText()
        names.nested(writeNames)
        return names.text.isEmpty ? nil : "private enum \(Self.scope) {\n\(names.text)\n}"
    }

    private func writeNames(_ lines: inout CodeText) {
        switch coded.content {
        case .texts, .rawValues: break
        case .properties(let properties):
            for property in properties where !property.isConstant {
                add(property.type, property.name, to: &lines)
                guard let value = property.defaultValue, !value.isLiteral else { continue }
                let isolation = self.coded.isolation.map { "\($0) " } ?? ""
                lines.line(
                    "\(isolation)static var \(Self.valueName(property.name)): \(property.type) { \(value.source) }")
            }
        case .cases(let cases):
            for coded in cases {
                for (place, value) in coded.values.enumerated() {
                    add(value.type, Self.name(of: coded, place), to: &lines)
                }
            }
        }
    }

    private func add(_ type: String, _ name: String, to lines: inout CodeText) {
        guard !isUniversal(type) else { return }
        lines.line("typealias \(Self.typeName(name)) = \(type)")
    }
}
