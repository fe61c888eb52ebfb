// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The differences between a resource and its values that the server has sent or confirmed.
///
/// A new resource is compared with `init()`. Values are compared by their `==`, not by their JSON. Fields that are
/// never sent in a change, `excluded` and `createOnly`, are left out.
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

    /// The old and the new value of a property, or `nil` if it has not changed or is not a field.
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
    /// The new linkage. It is `nil` if it is unknown.
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
        identifier.key ?? identifier.localKey ?? ResourceKey(type: identifier.type, id: "", isLocal: true)
    }
}

extension Resource {
    /// The differences from the values that the server has sent or confirmed.
    public var changes: ResourceChanges<Self> { ResourceChanges(self) }

    /// Whether there are changes to send.
    public var isDirty: Bool { !positions(sending: .changes).isEmpty }

    /// Restores all fields as the server has sent or confirmed them. A new resource becomes `init()` with its ids.
    public mutating func rollback() {
        let current = state
        if let baseline = current.baseline {
            self = baseline.value
            state.baseline = baseline
        } else {
            self = Self()
            state.id = current.id
        }
        state.lid = current.lid
        bind(to: current.graph)
    }

    /// Marks a field so that it is sent even if it has not changed: for example, to send `null` although the server
    /// never sent the field. A relationship is sent only if its linkage is known.
    ///
    /// - Throws: A ``ResourceError`` for a property that is not a field:
    ///   ``ResourceError/Reason/unknownField(property:)``.
    public mutating func touch(_ field: PartialKeyPath<Self>) throws(ResourceError) {
        guard let position = Self.schema.position(of: field) else { throw Self.schema.unknownField(field) }
        state.touched.insert(position)
    }

    /// Accepts the current values as confirmed by the server: after 204, or after 200 without a resource.
    ///
    /// - Parameter selection: The fields that were sent, which count as present from then on. The default is `nil`:
    ///   `new` for a new resource, and `changes` for others.
    public mutating func markClean(afterSending selection: FieldSelection? = nil) {
        for position in positions(sending: selection ?? (isNew ? .new : .changes)) { state.present.insert(position) }
        state.touched = FieldSet()
        var confirmed = self
        confirmed.state.baseline = nil
        confirmed.bind(to: nil)
        state.baseline = Baseline(confirmed)
    }

    /// Merges the resource that a server has sent in response to the creation or change of this one (200 or 201).
    ///
    /// Fields of the response replace the current ones. The others are accepted as confirmed. A relationship without
    /// linkage in the response keeps its linkage. Links and meta information are those of the response, unless it has
    /// none. A local id is kept, and references to it get the server's id. Required fields can be missing.
    ///
    /// - Parameters:
    ///   - object: The resource of the response.
    ///   - selection: The fields that were sent, as in ``markClean(afterSending:)``.
    /// - Throws: A ``ResourceError`` if the object has another type or id, or does not fit. The resource is then as
    ///   before.
    public mutating func merge(_ object: ResourceObject, afterSending selection: FieldSelection? = nil)
        throws(ResourceError)
    {
        try merge(try ResourceReading.value(of: object, requiresFields: false), object, selection)
    }

    /// Merges the primary data of the document that a server has sent after the creation or change of this resource.
    ///
    /// Afterwards, the relationships find their resources in the document. If the document has no resource, the current
    /// values are accepted as confirmed.
    ///
    /// - Parameters:
    ///   - document: The document of the response.
    ///   - selection: The fields that were sent, as in ``markClean(afterSending:)``.
    /// - Throws: A ``ResourceError`` if the primary data are an array, or have another type or id, or if a resource of
    ///   the document does not fit. The resource is then unchanged.
    public mutating func merge(_ document: JSONAPIDocument, afterSending selection: FieldSelection? = nil)
        throws(ResourceError)
    {
        guard let received = try document.resource(as: Self.self) else { return markClean(afterSending: selection) }
        do throws(ResourceError) {
            try merge(received, document.firstObject, selection)
        } catch {
            throw error.under(["data"])
        }
        bind(to: document.graph)
    }

    private mutating func merge(
        _ received: Self, _ object: ResourceObject?, _ selection: FieldSelection?
    ) throws(ResourceError) {
        if let id, let other = received.id, id != other {
            throw ResourceError(.wrongID(expected: id.rawValue), object, at: JSONPointer(["id"]))
        }
        var merged = self
        for (position, field) in Self.schema.fields.enumerated() where received.state.present.contains(position) {
            switch field.access {
            case .attribute(let access): access.copy(received, &merged)
            case .relationship(let access): access.adopt(received, &merged)
            }
        }
        merged.state.id = received.id ?? id
        merged.state.details = received.state.details ?? state.details
        merged.replaceLocalID(of: merged)
        merged.state.present.formUnion(received.state.present)
        // The fields that were sent are those of this value, not of the merged one.
        for position in positions(sending: selection ?? (isNew ? .new : .changes)) {
            merged.state.present.insert(position)
        }
        merged.markClean(afterSending: .changes)
        self = merged
    }

    /// Replaces local ids in the relationships by the ids that the server has assigned. This is not a change.
    ///
    /// - Parameter ids: The ids by the keys of the local ids (``ResourceKey/isLocal``).
    public mutating func replaceLocalIDs(_ ids: [ResourceKey: String]) {
        for access in Self.schema.table.relationships { access.replace(ids, &self) }
        guard let baseline = state.baseline else { return }
        var confirmed = baseline.value
        for access in Self.schema.table.relationships { access.replace(ids, &confirmed) }
        state.baseline = Baseline(confirmed)
    }

    /// Replaces a resource's local id in the relationships by the id that the server has assigned, if it has both.
    public mutating func replaceLocalID<Other: Resource>(of other: Other) {
        guard let lid = other.lid, let id = other.id else { return }
        replaceLocalIDs([ResourceKey(type: Other.resourceType, id: lid.rawValue, isLocal: true): id.rawValue])
    }
}
