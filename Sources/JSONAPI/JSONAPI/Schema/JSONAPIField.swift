// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The kind of a field.
public enum FieldKind: Sendable, Hashable {
    /// An attribute.
    case attribute
    /// A to-one relationship.
    case toOne
    /// A to-many relationship.
    case toMany
}

/// A field of a resource or of a ``NestedAttribute``: its name in documents, and the property that holds it.
public struct JSONAPIField<Root: Sendable>: Sendable {
    /// The name in documents.
    public internal(set) var name: String
    /// The options.
    public let options: FieldOptions
    /// Makes the key path of the property. It is a function, because a joined key path is not `Sendable`.
    let makePath: @Sendable () -> PartialKeyPath<Root>
    let access: FieldAccess<Root>

    /// The property.
    public var path: PartialKeyPath<Root> { makePath() }

    /// The kind of the field.
    public var kind: FieldKind {
        switch access {
        case .attribute: .attribute
        case .relationship(let access): access.isToMany ? .toMany : .toOne
        }
    }

    func named(_ name: String) -> JSONAPIField {
        var copy = self
        copy.name = name
        return copy
    }
}

/// The functions of a field. Its payload is one reference, because it is copied for each member that is read.
enum FieldAccess<Root: Sendable>: Sendable {
    case attribute(AttributeAccess<Root>)
    case relationship(RelationshipAccess<Root>)

    var attribute: AttributeAccess<Root>? { if case .attribute(let access) = self { access } else { nil } }
    var relationship: RelationshipAccess<Root>? { if case .relationship(let access) = self { access } else { nil } }
}

/// A fault within a field. Its pointer begins at the value of the field.
struct FieldFault: Error {
    var reason: ResourceError.Reason
    var pointer = JSONPointer()
}

/// Options of a field.
public struct FieldOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The field is read and never sent.
    public static let excluded = FieldOptions(rawValue: 1)
    /// A resource with its whole fieldset must have the field. Otherwise it is refused.
    public static let required = FieldOptions(rawValue: 2)
    /// The field is sent when the resource is created, but never in an update.
    public static let createOnly = FieldOptions(rawValue: 4)
}
