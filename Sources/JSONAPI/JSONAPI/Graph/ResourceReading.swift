// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Makes a value from the places of a resource object that was checked.
struct ResourceReading<R: Resource> {
    private let reader: DocumentReader
    private let places: ResourcePlaces
    private let options: ResourceOptions
    private let requiresFields: Bool
    private(set) var skipped: [ResourceError] = []

    /// - Parameter requiresFields: Whether a required field that is missing is an error. The default is `true`.
    init(_ reader: DocumentReader, _ places: ResourcePlaces, options: ResourceOptions, requiresFields: Bool = true) {
        self.reader = reader
        self.places = places
        self.options = options
        self.requiresFields = requiresFields
    }

    /// Reads a resource object that stands alone.
    static func value(of object: ResourceObject, requiresFields: Bool = true) throws(ResourceError) -> R {
        let (reader, places): (DocumentReader, ResourcePlaces)
        do throws(DocumentError) {
            reader = try DocumentReader(object.rawJSON)
            places = try reader.reporting { (reader) throws(DocumentFault) in try reader.checkedResource(0) }
        } catch {
            throw ResourceError(.refusedAttribute(description: error.description), object)
        }
        var reading = ResourceReading(reader, places, options: ResourceOptions(), requiresFields: requiresFields)
        return try reading.value()
    }

    /// Returns the value. It belongs to no graph and has no baseline.
    mutating func value() throws(ResourceError) -> R {
        let table = R.schema.table
        guard reader.tree.isText(at: Int(places.type), table.type) else {
            throw error(.wrongType(expected: [table.type]))
        }
        var value = R()
        var state = ResourceState<R>()
        state.id = reader.text(Int(places.id)).map { R.ID($0) }
        state.lid = reader.text(Int(places.lid)).map { LocalID($0) }
        state.details = ResourceDetails(reader, links: Int(places.links), meta: Int(places.meta))
        try readAttributes(table, into: &value, &state.present)
        try readRelationships(table, into: &value, &state.present)
        value.state = state
        if requiresFields && !table.required.isEmpty { try checkRequired(table, state.present) }
        return value
    }

    private mutating func readAttributes(
        _ table: FieldTable<R>, into value: inout R, _ present: inout FieldSet
    ) throws(ResourceError) {
        guard places.attributes != 0 else { return }
        let tree = reader.tree
        var last = -1
        for name in tree.names(in: Int(places.attributes)) {
            guard let position = table.position(ofName: name, in: tree, after: last),
                case .attribute(let access) = table.accesses[position]
            else { continue }
            last = position
            do {
                try access.read(tree, name + 1, &value)
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
        guard places.relationships != 0 else { return }
        let tree = reader.tree
        let object = Int(places.relationships)
        var last = -1
        if tree.mayRepeatNames(in: object) {
            var names = OrderedMembers<Int>()
            for name in tree.names(in: object) where reader.isRelationship(name) {
                names[reader.text(name) ?? ""] = name
            }
            for (_, name) in names { try readRelationship(name, table, &value, &present, &last) }
        } else {
            for name in tree.names(in: object) { try readRelationship(name, table, &value, &present, &last) }
        }
    }

    private mutating func readRelationship(
        _ name: Int, _ table: FieldTable<R>, _ value: inout R, _ present: inout FieldSet, _ last: inout Int
    ) throws(ResourceError) {
        guard let position = table.position(ofName: name, in: reader.tree, after: last),
            case .relationship(let access) = table.accesses[position], reader.isRelationship(name)
        else { return }
        last = position
        do throws(FieldFault) {
            try access.read(reader, name + 1, &value)
            present.insert(position)
        } catch {
            try refuse(error, "relationships", name)
        }
    }

    private mutating func refuse(_ fault: FieldFault, _ container: String, _ name: Int) throws(ResourceError) {
        let name = reader.text(name) ?? ""
        let error = error(fault.reason, field: name, at: [container, name] + fault.pointer.tokens)
        guard options.unreadableFields == .skip else { throw error }
        skipped.append(error)
    }

    /// Checks that no required field is missing. An object without attributes and relationships can be an identifier, so
    /// nothing is required of it.
    private func checkRequired(_ table: FieldTable<R>, _ present: FieldSet) throws(ResourceError) {
        guard !places.isBare else { return }
        let fieldset = options.fieldsets[table.type]
        for position in table.required where !present.contains(position) {
            let field = table.fields[position]
            guard fieldset?.contains(field.name) ?? true else { continue }
            if skipped.contains(where: { $0.field == field.name }) { continue }
            let container = field.kind == .attribute ? "attributes" : "relationships"
            throw error(.missingField(field.name), field: field.name, at: [container])
        }
    }

    private func error(
        _ reason: ResourceError.Reason, field: String? = nil, at pointer: [String] = []
    ) -> ResourceError {
        let object = ResourceObject(
            type: reader.text(Int(places.type)) ?? "", id: reader.text(Int(places.id)),
            lid: reader.text(Int(places.lid)))
        return ResourceError(reason, object, field: field, at: JSONPointer(pointer))
    }
}
