// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The resources of one document, by type and id, and the values made from them.
///
/// Each resource is decoded once for a Swift type. The graph holds values that do not refer to it; a value that is handed
/// out is a copy that does. So there is no reference cycle, and related resources stay reachable as long as a value exists.
final class ResourceGraph: Sendable {
    let document: ReceivedDocument
    let options: ResourceOptions
    private let positions: ResourcePositions
    private let memory = Mutex(Memory())

    private struct Memory {
        var tables: [ObjectIdentifier: ResourceTable] = [:]
        var skipped: [ResourceError] = []
    }

    /// Indexes a document.
    init(_ document: ReceivedDocument, options: ResourceOptions) {
        self.document = document
        self.options = options
        positions = ResourcePositions(document)
    }

    /// The tokens of the pointer to a resource.
    private func place(of position: Int) -> [String] {
        if position >= document.primaryCount { return ["included", String(position - document.primaryCount)] }
        return document.shape == .collection ? ["data", String(position)] : ["data"]
    }

    /// Finds the place of an identifier.
    func reference(_ identifier: ResourceIdentifierObject) -> ResourceReference {
        ResourceReference(
            identifier: identifier, position: positions.position(of: identifier, in: document), graph: self)
    }

    /// Returns the resource object of a reference, or `nil` if the document lacks it.
    func object(_ reference: ResourceReference) -> ResourceObject? {
        reference.position.map { document.object(at: $0) }
    }

    /// The errors of the fields that were skipped.
    var skipped: [ResourceError] { memory.withLock { $0.skipped } }
}

extension ResourceGraph {
    /// Returns the value of an identifier. It is `nil` if it has another type, or if the document lacks it.
    func resource<R: Resource>(_ reference: ResourceReference) throws(ResourceError) -> R? {
        guard reference.identifier.type == R.resourceType else { return nil }
        guard let position = reference.position else { return options.makesStubs ? stub(reference.identifier) : nil }
        return try handOut(baseline(at: position, of: R.self))
    }

    /// Returns the value of a resource in the primary data.
    func primary<T: RelationshipTarget>(at position: Int) throws(ResourceError) -> T {
        let identifier = document.identifier(at: position)
        let known = positions.position(of: identifier, in: document)
        let reference = ResourceReference(identifier: identifier, position: known ?? position, graph: self)
        if let value = try T.resolve(reference) { return value }
        let expected = T.resourceTypes.map { $0.resourceType }
        throw ResourceError(.wrongType(expected: expected), document.object(at: position)).under(place(of: position))
    }

    private func stub<R: Resource>(_ identifier: ResourceIdentifierObject) -> R {
        var stub = R()
        stub.id = identifier.id.map { R.ID($0) }
        stub.lid = identifier.lid.map { LocalID($0) }
        stub.meta = identifier.meta
        let baseline = Baseline(stub)
        return handOut(baseline)
    }

    private func handOut<R: Resource>(_ baseline: Baseline<R>) -> R {
        var value = baseline.value
        value.state.baseline = baseline
        value.bind(to: self)
        return value
    }

    /// Decodes all resources of the given types, and of the types that these refer to.
    func decodeAll(_ roots: [any Resource.Type]) throws(ResourceError) {
        if let fault = document.fault { throw ResourceError(.refusedAttribute(description: "\(fault)"), nil) }
        var types: Set<ObjectIdentifier> = []
        var waiting = roots + options.registry.resourceTypes
        while let type = waiting.popLast() {
            guard types.insert(ObjectIdentifier(type)).inserted else { continue }
            try decodeAll(of: type)
            type.appendRelatedTypes(to: &waiting)
        }
    }

    private func decodeAll<R: Resource>(of _: R.Type) throws(ResourceError) {
        let positions = positions.positions(of: R.resourceType, in: document)
        guard !positions.isEmpty else { return }
        let table = table(for: R.self)
        // A table that is not empty has values that were decoded one by one.
        let isEmpty = table.isEmpty
        var decoded: [any ResourceTable.Value] = []
        decoded.reserveCapacity(positions.count)
        var reading = ResourceReading(document.reader, options: options)
        for position in positions {
            if !isEmpty, let known = table[position] {
                decoded.append(known)
            } else {
                decoded.append(try decode(position, &reading) as Baseline<R>)
            }
        }
        table.store(decoded, at: positions)
    }

    private func baseline<R: Resource>(at position: Int, of _: R.Type) throws(ResourceError) -> Baseline<R> {
        let table = table(for: R.self)
        if let known = table[position] as? Baseline<R> { return known }
        var reading = ResourceReading(document.reader, options: options)
        let baseline: Baseline<R> = try decode(position, &reading)
        return table.store(baseline, at: position) as? Baseline<R> ?? baseline
    }

    private func decode<R: Resource>(
        _ position: Int, _ reading: inout ResourceReading
    ) throws(ResourceError) -> Baseline<R> {
        do throws(ResourceError) {
            let value: R = try reading.value(at: document.resources[position])
            if !reading.skipped.isEmpty {
                let skipped = reading.skipped.map { $0.under(place(of: position)) }
                memory.withLock { $0.skipped += skipped }
            }
            return Baseline(value)
        } catch {
            throw error.under(place(of: position))
        }
    }

    private func table<R: Resource>(for _: R.Type) -> ResourceTable {
        memory.withLock { memory in
            let key = ObjectIdentifier(R.self)
            if let table = memory.tables[key] { return table }
            let table = ResourceTable(count: document.resources.count)
            memory.tables[key] = table
            return table
        }
    }
}

extension Resource {
    /// Appends the types of the relationships.
    static func appendRelatedTypes(to types: inout [any Resource.Type]) {
        for access in schema.table.relationships { types += access.targets() }
    }
}
