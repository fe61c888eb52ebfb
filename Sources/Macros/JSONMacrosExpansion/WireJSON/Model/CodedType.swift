// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser

/// A type that is read and written as JSON.
struct CodedType {
    enum Content {
        case properties([CodedProperty])
        /// Cases with strings as raw values, in the order of the source.
        case texts([String])
        /// Cases with numbers, or with strings that the type computes itself, and the type of the raw values.
        case rawValues(type: String)
        case cases([CodedCase])

        var types: [String] {
            switch self {
            case .properties(let properties): properties.map(\.type)
            case .texts, .rawValues: []
            case .cases(let cases): cases.flatMap { $0.values.map(\.type) }
            }
        }

        /// The properties or cases, each with the name of its member, or `nil` for raw values.
        var keys: [(name: String, key: String)]? {
            switch self {
            case .properties(let properties): properties.map { ($0.name, $0.key) }
            case .texts, .rawValues: nil
            case .cases(let cases): cases.map { ($0.name, $0.key) }
            }
        }
    }

    var content: Content
    /// The modifier of the extensions. It is needed in modules with a default isolation, which would otherwise isolate
    /// the extensions of a nonisolated type.
    var extensionModifier: String
    /// The modifier of members with the access level of the type.
    var memberModifier: String
    /// The attribute of a type that is isolated to the main actor. Types nested in it are not isolated.
    var isolation: String?
    /// The `@available` attributes of the type and of the surrounding types. The extensions need all of them.
    var availability: [String]
    /// Whether a property or a case is deprecated. Only deprecated code can use it without a warning.
    var hasDeprecatedMembers: Bool
    /// Whether the type is inside another type or an extension. Its extensions do not see the names declared there.
    var isNested: Bool
    /// The generic parameters and associated types that occur in the types of members.
    var dependencies: [String]
    /// The conformances that the type declares itself. They apply to all generic arguments.
    var declaredConformances: Set<String>
    /// Whether the type or a surrounding one is generic. It cannot have static stored properties then.
    var isGeneric: Bool
    /// Whether the type declares `CodingKeys`.
    var hasOwnKeys: Bool
    /// The name of the type, which replaces `Self` in nested types.
    var name: String
}

struct CodedProperty {
    /// The name as it is written.
    var name: String
    var type: String
    var isOptional: Bool
    /// The value of the property if the member is missing.
    var defaultValue: DefaultValue?
    /// Whether it is a constant with a value, which is written but not read.
    var isConstant: Bool
    /// The name of the member.
    var key: String
}

struct DefaultValue {
    var source: String
    /// Whether it has the same meaning everywhere.
    var isLiteral: Bool
}

/// A case of an enumeration, coded as an object with one member.
struct CodedCase {
    /// The name as it is written.
    var name: String
    /// The name of the member.
    var key: String
    var values: [CodedValue]
    /// Whether the type declares coding keys for the values.
    var hasOwnKeys: Bool

    /// The arguments that construct the case from variables `value…`.
    var arguments: String {
        values.enumerated()
            .map { place, value in (value.label.map { "\($0.argumentLabel): " } ?? "") + "value\(place)" }
            .joined(separator: ", ")
    }

    /// The pattern that binds the values to variables `value…`.
    var pattern: String {
        guard !values.isEmpty else { return name }
        return "\(name)(\(values.indices.map { "let value\($0)" }.joined(separator: ", ")))"
    }

    /// The name of a value for ``CodedType/scopedType(_:of:)``.
    func name(of place: Int) -> String { "\(name.plain)_\(place)" }

    /// The name that the compiler expects for the enumeration with the keys of the values.
    var keysName: String { Self.keysName(name) }

    static func keysName(_ name: String) -> String {
        let first = name.plain.prefix(1)
        // The compiler only capitalises ASCII letters.
        let capital = first.allSatisfy(\.isASCII) ? first.uppercased() : String(first)
        return "\(capital)\(name.plain.dropFirst())CodingKeys".identifier
    }
}

/// An associated value of a case.
struct CodedValue {
    var label: String?
    var type: String
    var isOptional: Bool
    /// The label, or an underscore and the index of the value.
    var name: String
    /// The name of the member.
    var key: String
}

extension String {
    /// The name as an identifier, with backticks if it needs them.
    var identifier: String {
        ["Type", "Protocol"].contains(self) || !isValidSwiftIdentifier(for: .variableName) ? "`\(self)`" : self
    }

    /// The name as a label of an argument.
    var argumentLabel: String {
        let needsBackticks = plain == "inout" || !"_\(plain)".isValidSwiftIdentifier(for: .variableName)
        return needsBackticks ? "`\(plain)`" : plain
    }

    /// Whether the type needs no parentheses before `?` or `.self`.
    private var isSimpleType: Bool {
        guard let last else { return false }
        return (last.isLetter || last.isNumber || "_`>]?)".contains(last)) && !contains(" ") && !contains("->")
    }

    var optionalType: String { isSimpleType ? "\(self)?" : "(\(self))?" }

    var metatype: String { isSimpleType ? "\(self).self" : "(\(self)).self" }
}
