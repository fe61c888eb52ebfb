// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type that is read and written as JSON.
struct CodedType {
    enum Content {
        case properties([CodedProperty])
        /// Cases with their texts.
        case texts([(name: String, text: String)])
        /// Cases of numbers, with the type of the numbers.
        case numbers(type: String)
        case cases([CodedCase])
    }

    var content: Content
    /// The modifier of the extensions. Members of a nonisolated type are isolated in an extension that does not say so, if the
    /// module has a default isolation.
    var extensionModifier: String
    /// The modifier of members that are as visible as the type.
    var memberModifier: String
    /// The names of the generic parameters.
    var parameters: [String]
    /// Whether the type, or one around it, has generic parameters. It cannot have static stored properties then.
    var isGeneric: Bool
    /// Whether the type declares `CodingKeys`.
    var hasOwnKeys: Bool
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
}

/// An associated value of a case.
struct CodedValue {
    var label: String?
    var type: String
    var isOptional: Bool
    /// The name of the member: the label, or the number of the value after an underscore.
    var key: String
}

extension String {
    /// A name without backticks.
    var plain: String { filter { $0 != "`" } }

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
