// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The functions that read and write an attribute of a value.
final class AttributeAccess<Root: Sendable>: Sendable {
    typealias Copy = @Sendable (Root, inout Root) -> Void

    /// Reads the attribute. The error of a failure is a ``FieldFault`` or comes from a decoder or a transform.
    let read: @Sendable (JSONTree, Int, inout Root) throws -> Void
    /// Writes the attribute.
    let write: @Sendable (Root) throws -> RawJSON
    let isNil: @Sendable (Root) -> Bool
    /// Whether a change from the first value, which is confirmed, to the second one has to be sent.
    let isSame: @Sendable (Root, Root) -> Bool
    /// Sets the attribute of the second value to that of the first.
    let copy: Copy

    init(
        read: @escaping @Sendable (JSONTree, Int, inout Root) throws -> Void,
        write: @escaping @Sendable (Root) throws -> RawJSON,
        isNil: @escaping @Sendable (Root) -> Bool,
        isSame: @escaping @Sendable (Root, Root) -> Bool,
        copy: @escaping Copy
    ) {
        self.read = read
        self.write = write
        self.isNil = isNil
        self.isSame = isSame
        self.copy = copy
    }
}

/// The functions that read and write a relationship of a resource.
final class RelationshipAccess<Root: Sendable>: Sendable {
    typealias Read = @Sendable (DocumentReader, Int, inout Root) throws(FieldFault) -> Void

    let isToMany: Bool
    /// The types that the relationship can refer to. It is a function, because types refer to each other in cycles.
    let targets: @Sendable () -> [any Resource.Type]
    /// Reads a relationship. If it has no linkage, a linkage of before stays.
    let read: Read
    let write: @Sendable (Root) -> RelationshipObject
    /// Whether a change from the first value, which is confirmed, to the second one has to be sent.
    let isSame: @Sendable (Root, Root) -> Bool
    /// Takes over the relationship of the first value, which a server has sent. Without linkage in it, that of the second stays.
    let adopt: AttributeAccess<Root>.Copy
    let bind: @Sendable (ResourceGraph?, inout Root) -> Void
    /// Gives the links and meta information storage of their own.
    let detach: @Sendable (inout Root) -> Void
    /// Replaces local ids by the ids of a server.
    let replace: @Sendable ([ResourceKey: String], inout Root) -> Void

    init(
        isToMany: Bool,
        targets: @escaping @Sendable () -> [any Resource.Type],
        read: @escaping Read,
        write: @escaping @Sendable (Root) -> RelationshipObject,
        isSame: @escaping @Sendable (Root, Root) -> Bool,
        adopt: @escaping AttributeAccess<Root>.Copy,
        bind: @escaping @Sendable (ResourceGraph?, inout Root) -> Void,
        detach: @escaping @Sendable (inout Root) -> Void,
        replace: @escaping @Sendable ([ResourceKey: String], inout Root) -> Void
    ) {
        self.isToMany = isToMany
        self.targets = targets
        self.read = read
        self.write = write
        self.isSame = isSame
        self.adopt = adopt
        self.bind = bind
        self.detach = detach
        self.replace = replace
    }
}
