// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser

/// A type that is read and written as JSON.
struct CodedType {
    enum Content {
        case properties([CodedProperty])
        /// Cases with texts as raw values.
        case texts([String])
        /// Cases of numbers, or of texts that the type tells itself, with the type of the raw values.
        case rawValues(type: String)
        case cases([CodedCase])

        /// The types of the members.
        var types: [String] {
            switch self {
            case .properties(let properties): properties.map(\.type)
            case .texts, .rawValues: []
            case .cases(let cases): cases.flatMap { $0.values.map(\.type) }
            }
        }
    }

    var content: Content
    /// The modifier of the extensions. Members of a nonisolated type are isolated in an extension that does not say so, if the
    /// module has a default isolation.
    var extensionModifier: String
    /// The modifier of members that are as visible as the type.
    var memberModifier: String
    /// The attribute of a type that is isolated to the main actor. Its nested types are not.
    var isolation: String?
    /// The `@available` attributes of the type and of the types around it. Its extensions need all of them.
    var availability: [String]
    /// Whether a property or a case has an `@available` attribute. Only deprecated code can use it without a warning.
    var hasDeprecatedMembers: Bool
    /// Whether the type is within another one or an extension. Its own extensions do not see the names there.
    var isNested: Bool
    /// The generic parameters, and their associated types, that the members have.
    var dependencies: [String]
    /// Whether the type declares these conformances itself, and so for all generic arguments.
    var declaredConformances: Set<String>
    /// Whether the type, or one around it, has generic parameters. It cannot have static stored properties then.
    var isGeneric: Bool
    /// Whether the type declares `CodingKeys`.
    var hasOwnKeys: Bool
    /// The name of the type, for `Self` within its nested types.
    var name: String
}

/// A property that is a member of an object.
struct CodedProperty {
    /// The name, as it is written.
    var name: String
    var type: String
    var isOptional: Bool
    /// The value that the property has if its member is missing.
    var defaultValue: DefaultValue?
    /// Whether it is a constant with a value, which is only written.
    var isConstant: Bool
    /// The name of the member.
    var key: String
}

/// A value that a property has in the source.
struct DefaultValue {
    var source: String
    /// Whether it means the same at each place.
    var isLiteral: Bool
}

/// A case of an enumeration, which is an object with one member.
struct CodedCase {
    /// The name, as it is written.
    var name: String
    /// The name of the member.
    var key: String
    var values: [CodedValue]
    /// Whether the type declares the keys of the values.
    var hasOwnKeys: Bool

    /// The values as arguments: variables `value…` with the labels.
    var arguments: String {
        values.enumerated()
            .map { place, value in (value.label.map { "\($0.argumentLabel): " } ?? "") + "value\(place)" }
            .joined(separator: ", ")
    }

    /// The pattern that binds the values to these variables.
    var pattern: String {
        guard !values.isEmpty else { return name }
        return "\(name)(\(values.indices.map { "let value\($0)" }.joined(separator: ", ")))"
    }

    /// The name of a value, for the scope of the type.
    func name(of place: Int) -> String { "\(name.plain)_\(place)" }

    /// The name of the enumeration with the keys of the values, as the compiler has it.
    var keysName: String { Self.keysName(name) }

    static func keysName(_ name: String) -> String {
        let first = name.plain.prefix(1)
        // The compiler has capitals only of these letters.
        let capital = first.allSatisfy(\.isASCII) ? first.uppercased() : String(first)
        return "\(capital)\(name.plain.dropFirst())CodingKeys".identifier
    }
}

/// An associated value of a case.
struct CodedValue {
    var label: String?
    var type: String
    var isOptional: Bool
    /// The label, or the number of the value after an underscore.
    var name: String
    /// The name of the member.
    var key: String
}

extension String {
    /// A name that is not a keyword, with backticks if it needs them.
    var identifier: String {
        ["Type", "Protocol"].contains(self) || !isValidSwiftIdentifier(for: .variableName) ? "`\(self)`" : self
    }

    /// A name as a label of an argument.
    var argumentLabel: String {
        let needsBackticks = plain == "inout" || !"_\(plain)".isValidSwiftIdentifier(for: .variableName)
        return needsBackticks ? "`\(plain)`" : plain
    }

    /// Whether a type needs no parentheses before `?` or `.self`.
    private var isSimpleType: Bool {
        guard let last else { return false }
        return (last.isLetter || last.isNumber || "_`>]?)".contains(last)) && !contains(" ") && !contains("->")
    }

    /// The source text of the optional of a type.
    var optionalType: String { isSimpleType ? "\(self)?" : "(\(self))?" }

    /// The source text of a type as a value.
    var metatype: String { isSimpleType ? "\(self).self" : "(\(self)).self" }
}
