// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

/// The selection of fields that are sent.
public enum FieldSelection: Sendable, Hashable {
    /// For the creation of a resource: attributes that are not `nil`, relationships with linkage, and touched fields.
    case new
    /// For a change of a resource: the fields that differ from what the server has sent or confirmed, and those that
    /// were touched. `createOnly` fields are left out.
    case changes
    /// For a change of a resource: all fields that are known, `nil` as `null`. For a resource that was received, these
    /// are the fields that are present, changed or touched. `createOnly` fields are left out.
    case all
}

extension Resource {
    /// Returns the resource object for the body of a request, with the id, or else the local id.
    ///
    /// Relationships have only linkage. Excluded fields and empty `attributes` and `relationships` are left out.
    ///
    /// - Throws: A ``ResourceError`` if a value cannot be encoded, or if a related resource has no id or local id.
    public func resourceObject(sending selection: FieldSelection) throws(ResourceError) -> ResourceObject {
        var object = toBareObject()
        let chosen = positions(sending: selection)
        try write(chosen, to: &object) { RelationshipObject(data: $0.data) }
        return object
    }

    /// Returns the resource object that represents the resource: all fields that are present or changed, except
    /// excluded ones, with the links and meta information of the resource and its relationships.
    ///
    /// - Throws: A ``ResourceError`` if a value cannot be encoded, or if a related resource has no id or local id.
    public func toResourceObject() throws(ResourceError) -> ResourceObject {
        var object = toBareObject()
        object.lid = lid?.rawValue
        object.links = links.isEmpty ? nil : links
        object.meta = meta
        let fields = Self.schema.fields
        let confirmed = confirmed
        let chosen = fields.indices.filter { position in
            guard !fields[position].options.contains(.excluded) else { return false }
            switch fields[position].access {
            case .attribute(let access):
                return isNew ? !access.isNil(self) : isKnown(position, access.isSame(confirmed, self))
            case .relationship(let access): return access.write(self) != RelationshipObject()
            }
        }
        try write(chosen, to: &object) { $0 }
        return object
    }

    public func toResourceIdentifierObject() -> ResourceIdentifierObject? {
        toBareObject().identifier
    }

    /// Returns a to-one relationship to the resource. It is empty if the resource has neither an id nor a local id.
    public func toRelationshipObject() -> RelationshipObject {
        RelationshipObject(data: .toOne(toResourceIdentifierObject()))
    }

    /// Creates a value from a resource object. Its relationships have no values, because there is no document.
    ///
    /// - Throws: A ``ResourceError`` if the object has another type or does not fit.
    public init(resourceObject object: ResourceObject) throws(ResourceError) {
        let value: Self = try ResourceReading.value(of: object)
        self = value
        state.baseline = Baseline(value)
    }

    func toBareObject() -> ResourceObject {
        ResourceObject(type: Self.resourceType, id: id?.rawValue, lid: id == nil ? lid?.rawValue : nil)
    }

    /// The resource as the server has sent or confirmed it, or a new resource.
    var confirmed: Self { state.baseline?.value ?? Self() }

    private func isKnown(_ position: Int, _ isUnchanged: Bool) -> Bool {
        state.present.contains(position) || state.touched.contains(position) || !isUnchanged
    }

    /// The positions of the fields that a selection sends.
    func positions(sending selection: FieldSelection) -> [Int] {
        let fields = Self.schema.fields
        let confirmed = confirmed
        return fields.indices.filter { position in
            let field = fields[position]
            if field.options.contains(.excluded) { return false }
            if selection != .new && field.options.contains(.createOnly) { return false }
            switch (field.access, selection) {
            case (.attribute(let access), .new): return state.touched.contains(position) || !access.isNil(self)
            case (.attribute(let access), .changes):
                return state.touched.contains(position) || !access.isSame(confirmed, self)
            case (.attribute(let access), .all): return isNew || isKnown(position, access.isSame(confirmed, self))
            case (.relationship(let access), .changes):
                let isTouched = state.touched.contains(position) && access.write(self).data != nil
                return isTouched || !access.isSame(confirmed, self)
            case (.relationship(let access), _): return access.write(self).data != nil
            }
        }
    }

    private func write(
        _ positions: [Int], to object: inout ResourceObject, _ shape: (RelationshipObject) -> RelationshipObject
    ) throws(ResourceError) {
        var attributes: [RawMembers.Element] = []
        var relationships = Relationships()
        for position in positions {
            let field = Self.schema.fields[position]
            switch field.access {
            case .attribute(let access):
                do {
                    attributes.append((field.name, try access.write(self)))
                } catch {
                    let reason = ResourceError.Reason.unwritableAttribute(description: "\(error)")
                    throw ResourceError(reason, object, field: field.name)
                }
            case .relationship(let access):
                let relationship = access.write(self)
                try object.checkTargets(of: relationship.data, in: field.name)
                relationships[field.name] = shape(relationship)
            }
        }
        if !attributes.isEmpty { object.attributes = RawObject(members: attributes) }
        if !relationships.members.isEmpty { object.relationships = relationships }
    }
}

extension RawObject {
    /// Creates an object from members with different names.
    package init(members: some Sequence<(name: String, value: RawJSON)>) {
        self.init(
            unchecked: RawJSON { output in
                output.object { object in
                    for (name, value) in members { object.member(name, value) }
                }
            })
    }
}
