// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The fields of a schema, with tables for looking them up.
final class FieldTable<R: Resource>: Sendable {
    let type: String
    let fields: [JSONAPIField<R>]
    private let names: [String]
    /// The functions of the fields, by position. The arrays are not generic, because each member that is read would
    /// cost a metadata lookup.
    private let accesses: (attributes: [(any AnyObject & Sendable)?], relationships: [(any AnyObject & Sendable)?])
    let relationships: [RelationshipAccess<R>]
    let positions: [String: Int]
    let required: [Int]

    init(type: String, fields: [JSONAPIField<R>]) {
        self.type = type
        self.fields = fields
        names = fields.map(\.name)
        accesses = (fields.map(\.access.attribute), fields.map(\.access.relationship))
        relationships = fields.compactMap(\.access.relationship)
        positions = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        required = fields.indices.filter { fields[$0].options.contains(.required) }
    }

    /// The functions of the attribute at a position, or `nil` if there is a relationship.
    func attribute(at position: Int) -> AttributeAccess<R>? {
        guard let access = accesses.attributes[position] else { return nil }
        // The initializer fills this array with such objects only.
        return unsafeDowncast(access, to: AttributeAccess<R>.self)
    }

    /// The functions of the relationship at a position, or `nil` if there is an attribute.
    func relationship(at position: Int) -> RelationshipAccess<R>? {
        guard let access = accesses.relationships[position] else { return nil }
        // As above.
        return unsafeDowncast(access, to: RelationshipAccess<R>.self)
    }

    /// Returns the position of the field with a member's name. Fields often come in order, so the next is tried first.
    func position(ofName member: Int, in tree: JSONTree, after last: Int) -> Int? {
        let next = last + 1
        if next < names.count, tree.isText(at: member, names[next]) { return next }
        return tree.string(at: member).flatMap { positions[$0] }
    }
}

/// The functions that read and write an attribute of a value.
final class AttributeAccess<Root: Sendable>: Sendable {
    /// Reads the attribute. The error of a failure is a ``FieldFault`` or comes from a decoder or a transform.
    let read: @Sendable (JSONTree, Int, inout Root) throws -> Void
    let write: @Sendable (Root) throws -> RawJSON
    let isNil: @Sendable (Root) -> Bool
    /// Whether the change from the first, confirmed value to the second one need not be sent.
    let isSame: @Sendable (Root, Root) -> Bool
    /// Sets the attribute of the second value to that of the first.
    let copy: @Sendable (Root, inout Root) -> Void

    /// The access to an attribute that is a property.
    init<V: Equatable & Sendable>(
        _ path: any WritableKeyPath<Root, V> & Sendable, read: @escaping @Sendable (JSONTree, Int) throws -> V,
        write: @escaping @Sendable (V) throws -> RawJSON, isNil: @escaping @Sendable (V) -> Bool
    ) {
        self.read = { $2[keyPath: path] = try read($0, $1) }
        self.write = { try write($0[keyPath: path]) }
        self.isNil = { isNil($0[keyPath: path]) }
        isSame = { $0[keyPath: path] == $1[keyPath: path] }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
    }

    /// The access to an attribute of a value that is a property.
    init<Inner>(_ inner: AttributeAccess<Inner>, in path: any WritableKeyPath<Root, Inner> & Sendable) {
        read = { try inner.read($0, $1, &$2[keyPath: path]) }
        write = { try inner.write($0[keyPath: path]) }
        isNil = { inner.isNil($0[keyPath: path]) }
        isSame = { inner.isSame($0[keyPath: path], $1[keyPath: path]) }
        copy = { inner.copy($0[keyPath: path], &$1[keyPath: path]) }
    }
}

/// The functions that read and write a relationship of a resource.
final class RelationshipAccess<Root: Sendable>: Sendable {
    let isToMany: Bool
    /// The types that the relationship can refer to. It is a function, because types refer to each other in cycles.
    let targets: @Sendable () -> [any Resource.Type]
    /// Reads a relationship. If it has no linkage, the earlier linkage is kept.
    let read: @Sendable (DocumentReader, Int, inout Root) throws(FieldFault) -> Void
    let write: @Sendable (Root) -> RelationshipObject
    /// Whether the change from the first, confirmed value to the second one need not be sent.
    let isSame: @Sendable (Root, Root) -> Bool
    /// Takes over the relationship of the first value, which a server has sent. If it has no linkage, that of the
    /// second is kept.
    let adopt: @Sendable (Root, inout Root) -> Void
    let bind: @Sendable (ResourceGraph?, inout Root) -> Void
    let detach: @Sendable (inout Root) -> Void
    let replace: @Sendable ([ResourceKey: String], inout Root) -> Void

    /// The access to a relationship that is a property.
    init<V: RelationshipProperty>(
        _ path: any WritableKeyPath<Root, V> & Sendable, isToMany: Bool,
        targets: @escaping @Sendable () -> [any Resource.Type]
    ) {
        self.isToMany = isToMany
        self.targets = targets
        read = { (reader, object, root) throws(FieldFault) in try root[keyPath: path].read(reader, at: object) }
        write = { $0[keyPath: path].toRelationshipObject() }
        isSame = { !$1[keyPath: path].differs(from: $0[keyPath: path]) }
        adopt = { $1[keyPath: path].adopt($0[keyPath: path]) }
        bind = { $1[keyPath: path].graph = $0 }
        detach = { $0[keyPath: path].details = $0[keyPath: path].details?.detached }
        replace = { $1[keyPath: path].replaceLocalIDs($0) }
    }

    /// The access to a relationship of a value that is a property.
    init<Inner>(_ inner: RelationshipAccess<Inner>, in path: any WritableKeyPath<Root, Inner> & Sendable) {
        isToMany = inner.isToMany
        targets = inner.targets
        read = { (reader, object, root) throws(FieldFault) in
            try inner.read(reader, object, &root[keyPath: path])
        }
        write = { inner.write($0[keyPath: path]) }
        isSame = { inner.isSame($0[keyPath: path], $1[keyPath: path]) }
        adopt = { inner.adopt($0[keyPath: path], &$1[keyPath: path]) }
        bind = { inner.bind($0, &$1[keyPath: path]) }
        detach = { inner.detach(&$0[keyPath: path]) }
        replace = { inner.replace($0, &$1[keyPath: path]) }
    }
}

extension JSONAPIField where Root: Resource {
    /// The field for a type that has a value of this type as a property.
    func lifted<Outer: Resource>(to path: any WritableKeyPath<Outer, Root> & Sendable) -> JSONAPIField<Outer> {
        let access: FieldAccess<Outer> =
            switch access {
            case .attribute(let access): .attribute(AttributeAccess(access, in: path))
            case .relationship(let access): .relationship(RelationshipAccess(access, in: path))
            }
        let makeInner = makePath
        return JSONAPIField<Outer>(
            name: name, options: options,
            // Joining fails only if the inner path begins elsewhere, which its type excludes.
            makePath: { (path as PartialKeyPath<Outer>).appending(path: makeInner()) ?? path }, access: access)
    }
}
