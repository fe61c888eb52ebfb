// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Makes values from the places of resource objects that were checked.
struct ResourceReading {
    private let reader: DocumentReader
    private let options: ResourceOptions
    private let requiresFields: Bool
    private var places = ResourcePlaces(object: 0)
    /// The errors of the fields of the last value that were skipped.
    private(set) var skipped: [ResourceError] = []

    /// - Parameter requiresFields: Whether a required field that is missing is an error. The default is `true`.
    init(_ reader: DocumentReader, options: ResourceOptions, requiresFields: Bool = true) {
        self.reader = reader
        self.options = options
        self.requiresFields = requiresFields
    }

    /// Reads a resource object without a document.
    static func value<R: Resource>(of object: ResourceObject, requiresFields: Bool = true) throws(ResourceError) -> R {
        let (reader, places): (DocumentReader, ResourcePlaces)
        do throws(DocumentError) {
            reader = try DocumentReader(object.rawJSON)
            places = try reader.reporting { (reader) throws(DocumentFault) in try reader.checkedResource(0) }
        } catch {
            throw ResourceError(.refusedAttribute(description: error.description), object)
        }
        var reading = ResourceReading(reader, options: ResourceOptions(), requiresFields: requiresFields)
        return try reading.value(at: places)
    }

    /// Returns the value of a resource object. It belongs to no graph and has no baseline.
    mutating func value<R: Resource>(at places: ResourcePlaces) throws(ResourceError) -> R {
        self.places = places
        skipped = []
        let table = R.schema.table
        guard reader.tree.isText(at: Int(places.type), table.type) else {
            throw error(.wrongType(expected: [table.type]))
        }
        var value = R()
        var present = FieldSet()
        try readAttributes(table, into: &value, &present)
        try readRelationships(table, into: &value, &present)
        // Mapping an optional value would cost a metadata lookup for each resource.
        let id: R.ID? = if let id = reader.text(Int(places.id)) { R.ID(id) } else { nil }
        value.state = ResourceState(
            id: id, lid: reader.text(Int(places.lid)).map { LocalID($0) },
            details: ResourceDetails(reader, links: Int(places.links), meta: Int(places.meta)), present: present)
        if requiresFields && !table.required.isEmpty { try checkRequired(table, present) }
        return value
    }

    private mutating func readAttributes<R: Resource>(
        _ table: FieldTable<R>, into value: inout R, _ present: inout FieldSet
    ) throws(ResourceError) {
        guard places.attributes != 0 else { return }
        let tree = reader.tree
        var last = -1
        var names = tree.names(in: Int(places.attributes))
        while let name = names.next(in: tree) {
            guard let position = table.position(ofName: name, in: tree, after: last),
                let access = table.attribute(at: position)
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

    private mutating func readRelationships<R: Resource>(
        _ table: FieldTable<R>, into value: inout R, _ present: inout FieldSet
    ) throws(ResourceError) {
        guard places.relationships != 0 else { return }
        let tree = reader.tree
        let object = Int(places.relationships)
        var last = -1
        var names = tree.names(in: object)
        guard tree.mayRepeatNames(in: object) else {
            while let name = names.next(in: tree) { try readRelationship(name, table, &value, &present, &last) }
            return
        }
        var lastNames = OrderedMembers<Int>()
        while let name = names.next(in: tree) {
            if reader.isRelationship(name) { lastNames[reader.text(name) ?? ""] = name }
        }
        for (_, name) in lastNames { try readRelationship(name, table, &value, &present, &last) }
    }

    private mutating func readRelationship<R: Resource>(
        _ name: Int, _ table: FieldTable<R>, _ value: inout R, _ present: inout FieldSet, _ last: inout Int
    ) throws(ResourceError) {
        guard let position = table.position(ofName: name, in: reader.tree, after: last),
            let access = table.relationship(at: position), reader.isRelationship(name)
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

    /// Checks that no required field is missing, except in an object that can be an identifier.
    private func checkRequired<R: Resource>(_ table: FieldTable<R>, _ present: FieldSet) throws(ResourceError) {
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
