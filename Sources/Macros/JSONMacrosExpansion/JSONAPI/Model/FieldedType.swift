// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A structure with fields: a resource or a nested attribute.
struct FieldedType {
    enum Kind: String {
        case resource = "Resource"
        case nestedAttribute = "NestedAttribute"

        /// The kind, for messages.
        var noun: String { self == .resource ? "a resource" : "a nested attribute" }
    }

    var kind: Kind
    var name: String
    /// The type in documents.
    var type: String
    /// The argument `keys`, as source text.
    var keys: String?
    var access: AccessLevel
    var fields: [FieldDeclaration] = []
    /// The labels of the initializers that the program declares.
    var initializers: Set<[String]> = []
}

/// A property with `@Attribute` or `@Relationship`.
struct FieldDeclaration {
    var mark: FieldMark
    /// The name of the property as it is written.
    var property: String
    var type: String
    var access: AccessLevel
    /// The initial value as it is written.
    var initialValue: String?
    /// The value if the property has no initial value.
    var implicitValue: String
    /// The name in documents, if the attribute sets it.
    var writtenName: String?
    /// The arguments after the key path, as source text.
    var transform: String?
    var options: String?
    /// A directive that makes the compiler report errors at the property.
    var sourceLocation: String?

    /// The name in documents, unless the key strategy of the type changes it.
    var documentName: String { writtenName ?? property.plain }
}

/// The attributes that make a property a field.
enum FieldMark: String, CaseIterable {
    case attribute = "Attribute"
    case relationship = "Relationship"

    /// The kind of field, for messages.
    var noun: String { self == .attribute ? "an attribute" : "a relationship" }
}
