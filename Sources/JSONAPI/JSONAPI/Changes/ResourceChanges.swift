// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The differences between a resource and what the server has sent or confirmed.
///
/// A new resource is compared with `init()`. Values are compared by their `==`, not by their JSON. Fields that are never
/// sent in a change, `excluded` and `createOnly`, are left out.
public struct ResourceChanges<R: Resource>: Sendable {
    /// The resource as the server has sent or confirmed it, or a new resource.
    public let old: R
    /// The resource now.
    public let new: R
    private let positions: [Int]

    init(_ resource: R) {
        old = resource.confirmed
        new = resource
        positions = resource.positions(sending: .changes)
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { positions.isEmpty }

    /// The names of the changed fields in documents, in the order of the schema.
    public var names: [String] { positions.map { R.schema.fields[$0].name } }

    /// The old and the new value of a property, or `nil` if it has not changed or is no field.
    public subscript<V>(path: KeyPath<R, V>) -> (old: V, new: V)? {
        guard let position = R.schema.position(of: path), positions.contains(position) else { return nil }
        return (old[keyPath: path], new[keyPath: path])
    }

    /// The changed attributes, in the order of the schema.
    public var attributes: [AttributeChange] {
        positions.compactMap { position in
            let field = R.schema.fields[position]
            guard case .attribute(let access) = field.access else { return nil }
            return AttributeChange(name: field.name, old: try? access.write(old), new: try? access.write(new))
        }
    }

    /// The changed relationships, in the order of the schema.
    public var relationships: [RelationshipChange] {
        positions.compactMap { position in
            let field = R.schema.fields[position]
            guard case .relationship(let access) = field.access else { return nil }
            return RelationshipChange(name: field.name, old: access.write(old).data, new: access.write(new).data)
        }
    }
}

/// A changed attribute.
public struct AttributeChange: Sendable, Hashable {
    /// The name in documents.
    public let name: String
    /// The old value. It is `nil` if it cannot be encoded.
    public let old: RawJSON?
    /// The new value. It is `nil` if it cannot be encoded.
    public let new: RawJSON?

    /// Creates a change.
    public init(name: String, old: RawJSON?, new: RawJSON?) {
        self.name = name
        self.old = old
        self.new = new
    }
}

/// A changed relationship.
public struct RelationshipChange: Sendable, Hashable {
    /// The name in documents.
    public let name: String
    /// The old linkage. It is `nil` if it was unknown.
    public let old: RelationshipObject.Linkage?
    /// The new linkage.
    public let new: RelationshipObject.Linkage?

    /// The references that are new, in their order.
    public var added: [ResourceIdentifierObject] { Self.difference(new, old) }

    /// The references that are gone, in their order.
    public var removed: [ResourceIdentifierObject] { Self.difference(old, new) }

    /// Whether the references that stay are in another order.
    public var isReordered: Bool {
        let removed = Set(removed.map(Self.key)), added = Set(added.map(Self.key))
        let before = (old?.identifiers ?? []).map(Self.key).filter { !removed.contains($0) }
        let after = (new?.identifiers ?? []).map(Self.key).filter { !added.contains($0) }
        return before != after
    }

    private static func difference(
        _ left: RelationshipObject.Linkage?, _ right: RelationshipObject.Linkage?
    ) -> [ResourceIdentifierObject] {
        let known = Set((right?.identifiers ?? []).map(key))
        return (left?.identifiers ?? []).filter { !known.contains(key($0)) }
    }

    private static func key(_ identifier: ResourceIdentifierObject) -> ResourceKey {
        ResourceKey(
            type: identifier.type, id: identifier.id ?? identifier.lid ?? "", isLocal: identifier.id == nil)
    }
}
