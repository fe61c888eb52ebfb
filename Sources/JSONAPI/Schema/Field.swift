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
public struct Field<Root: Sendable>: Sendable {
    enum Access: Sendable {
        case attribute(AttributeAccess<Root>)
        case relationship(RelationshipAccess<Root>)
    }

    /// The name in documents.
    public internal(set) var name: String
    /// The options.
    public let options: FieldOptions
    /// Makes the key path of the property. It is a function, because a joined key path is not `Sendable`.
    let makePath: @Sendable () -> PartialKeyPath<Root>
    let access: Access

    /// The property.
    public var path: PartialKeyPath<Root> { makePath() }

    /// The kind of the field.
    public var kind: FieldKind {
        switch access {
        case .attribute: .attribute
        case .relationship(let access): access.isToMany ? .toMany : .toOne
        }
    }
}

/// The functions that read and write an attribute of a value.
struct AttributeAccess<Root: Sendable>: Sendable {
    /// Reads the attribute. The error of a failure is a ``FieldFault`` or comes from a decoder or a transform.
    let read: @Sendable (RawJSON, inout Root) throws -> Void
    /// Writes the attribute.
    let write: @Sendable (Root) throws -> RawJSON
    let isNil: @Sendable (Root) -> Bool
    /// Whether a change from the first value, which is confirmed, to the second one has to be sent.
    let isSame: @Sendable (Root, Root) -> Bool
    /// Sets the attribute of the second value to that of the first.
    let copy: @Sendable (Root, inout Root) -> Void
}

/// The functions that read and write a relationship of a resource.
struct RelationshipAccess<Root: Sendable>: Sendable {
    let isToMany: Bool
    /// The types that the relationship can refer to. It is a function, because types refer to each other in cycles.
    let targets: @Sendable () -> [any Resource.Type]
    /// Reads a relationship. If it has no linkage, a linkage of before stays.
    let read: @Sendable (RelationshipObject, inout Root) throws(FieldFault) -> Void
    let write: @Sendable (Root) -> RelationshipObject
    let isSame: @Sendable (Root, Root) -> Bool
    let copy: @Sendable (Root, inout Root) -> Void
    let bind: @Sendable (ResourceGraph?, inout Root) -> Void
    /// Replaces local ids by the ids of a server.
    let replace: @Sendable ([ResourceKey: String], inout Root) -> Void
}

/// A fault within a field. Its pointer begins at the value of the field.
struct FieldFault: Error {
    var reason: ResourceError.Reason
    var pointer = JSONPointer()
}
