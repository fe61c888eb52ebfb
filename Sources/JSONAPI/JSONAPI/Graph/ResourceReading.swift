// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Makes a value from a resource object.
struct ResourceReading<R: Resource> {
    private let object: ResourceObject
    private let options: ResourceOptions
    private let requiresFields: Bool
    private(set) var skipped: [ResourceError] = []

    /// - Parameter requiresFields: Whether a required field that is missing is an error. The default is `true`.
    init(_ object: ResourceObject, options: ResourceOptions, requiresFields: Bool = true) {
        self.object = object
        self.options = options
        self.requiresFields = requiresFields
    }

    /// Returns the value. It belongs to no graph and has no baseline.
    mutating func value() throws(ResourceError) -> R {
        let table = R.schema.table
        guard object.type == table.type else { throw ResourceError(.wrongType(expected: [table.type]), object) }
        var value = R()
        value.state.id = object.id.map { R.ID($0) }
        value.state.lid = object.lid.map { LocalID($0) }
        value.state.details = ResourceDetails(links: object.links, meta: object.meta)
        var present = FieldSet()
        try readAttributes(table, into: &value, &present)
        try readRelationships(table, into: &value, &present)
        value.state.present = present
        if requiresFields && !table.required.isEmpty { try checkRequired(table, present) }
        return value
    }

    private mutating func readAttributes(
        _ table: FieldTable<R>, into value: inout R, _ present: inout FieldSet
    ) throws(ResourceError) {
        guard let attributes = object.attributes else { return }
        var last = -1
        // The bytes are known to be JSON, so this throws nothing.
        for (name, json) in (try? attributes.json.members()) ?? [] {
            guard let position = table.position(named: name, after: last),
                case .attribute(let access) = table.accesses[position]
            else { continue }
            last = position
            do {
                try access.read(json, &value)
                present.insert(position)
            } catch {
                let fault = error as? FieldFault ?? FieldFault(reason: .refusedAttribute(description: "\(error)"))
                try refuse(fault, "attributes", name)
            }
        }
    }

    private mutating func readRelationships(
        _ table: FieldTable<R>, into value: inout R, _ present: inout FieldSet
    ) throws(ResourceError) {
        guard let relationships = object.relationships else { return }
        var last = -1
        for (name, relationship) in relationships.members {
            guard let position = table.position(named: name, after: last),
                case .relationship(let access) = table.accesses[position]
            else { continue }
            last = position
            do throws(FieldFault) {
                try access.read(relationship, &value)
                present.insert(position)
            } catch {
                try refuse(error, "relationships", name)
            }
        }
    }

    private mutating func refuse(_ fault: FieldFault, _ container: String, _ name: String) throws(ResourceError) {
        let pointer = JSONPointer([container, name] + fault.pointer.tokens)
        let error = ResourceError(fault.reason, object, field: name, at: pointer)
        guard options.unreadableFields == .skip else { throw error }
        skipped.append(error)
    }

    /// Checks that no required field is missing. An object without attributes and relationships can be an identifier, so
    /// nothing is required of it.
    private func checkRequired(_ table: FieldTable<R>, _ present: FieldSet) throws(ResourceError) {
        guard !object.isBare else { return }
        let fieldset = options.fieldsets[table.type]
        for position in table.required where !present.contains(position) {
            let field = table.fields[position]
            guard fieldset?.contains(field.name) ?? true else { continue }
            if skipped.contains(where: { $0.field == field.name }) { continue }
            let container = field.kind == .attribute ? "attributes" : "relationships"
            throw ResourceError(
                .missingField(field.name), object, field: field.name, at: JSONPointer([container]))
        }
    }
}
