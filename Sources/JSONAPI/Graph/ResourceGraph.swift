// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The resources of one document, by type and id, and the values made from them.
///
/// Each resource is decoded once for a Swift type. The graph holds values that do not refer to it; a value that is handed
/// out is a copy that does. So there is no reference cycle, and related resources stay reachable as long as a value exists.
public final class ResourceGraph: Sendable {
    /// A resource object of the document.
    struct Entry: Sendable {
        let object: ResourceObject
        let place: JSONPointer
    }

    let options: ResourceOptions
    private let entries: [Entry]
    private let positions: [ResourceKey: Int]
    /// The positions of the entries of each type.
    private let positionsByType: [String: [Int]]
    private let memory = Mutex(Memory())

    private struct Memory {
        var tables: [ObjectIdentifier: any Sendable & AnyObject] = [:]
        var skipped: [ResourceError] = []
    }

    /// Indexes a document. If a resource is repeated, the first one wins; primary data come first, except for identifiers,
    /// which give way to resources.
    init(_ document: RawDocument, options: ResourceOptions) {
        self.options = options
        var entries: [Entry] = []
        var positions: [ResourceKey: Int] = [:]
        func add(_ object: ResourceObject, _ place: [String]) {
            let position = entries.count
            entries.append(Entry(object: object, place: JSONPointer(place)))
            for key in Self.keys(of: object) {
                if let other = positions[key], !entries[other].object.isBare || object.isBare { continue }
                positions[key] = position
            }
        }
        switch document.data {
        case nil, .single(nil): break
        case .single(let object?): add(object, ["data"])
        case .collection(let objects):
            for (index, object) in objects.enumerated() { add(object, ["data", String(index)]) }
        }
        for (index, object) in (document.included ?? []).enumerated() { add(object, ["included", String(index)]) }
        self.entries = entries
        self.positions = positions
        positionsByType = Dictionary(grouping: entries.indices) { entries[$0].object.type }
    }

    private static func keys(of object: ResourceObject) -> [ResourceKey] {
        var keys: [ResourceKey] = []
        if let id = object.id { keys.append(ResourceKey(type: object.type, id: id)) }
        if let lid = object.lid { keys.append(ResourceKey(type: object.type, id: lid, isLocal: true)) }
        return keys
    }

    private func position(_ identifier: ResourceIdentifierObject) -> Int? {
        if let id = identifier.id { return positions[ResourceKey(type: identifier.type, id: id)] }
        return identifier.lid.flatMap { positions[ResourceKey(type: identifier.type, id: $0, isLocal: true)] }
    }

    /// Finds the place of an identifier.
    func reference(_ identifier: ResourceIdentifierObject) -> ResourceReference {
        ResourceReference(identifier: identifier, position: position(identifier))
    }

    /// Returns the resource object of a reference, or `nil` if the document lacks it.
    func object(_ reference: ResourceReference) -> ResourceObject? { reference.position.map { entries[$0].object } }

    /// The errors of the fields that were skipped.
    var skipped: [ResourceError] { memory.withLock { $0.skipped } }
}

extension ResourceGraph {
    /// Returns the value of an identifier. It is `nil` if it has another type, or if the document lacks it.
    func resource<R: Resource>(_: R.Type, _ reference: ResourceReference) throws(ResourceError) -> R? {
        guard reference.identifier.type == R.resourceType else { return nil }
        guard let position = reference.position else { return options.makesStubs ? stub(reference.identifier) : nil }
        return try handOut(baseline(at: position, of: R.self))
    }

    /// Returns the value of a resource in the primary data.
    func primary<T: RelationshipTarget>(_ object: ResourceObject, at position: Int) throws(ResourceError) -> T {
        let identifier = object.identifier ?? ResourceIdentifierObject(type: object.type)
        let reference = ResourceReference(identifier: identifier, position: self.position(identifier) ?? position)
        if let value = try T.resolve(reference, in: self) { return value }
        let expected = T.resourceTypes.map { $0.resourceType }
        throw ResourceError(.wrongType(expected: expected), object).under(entries[position].place.tokens)
    }

    /// Returns the value of an identifier for a type that is known at run time.
    func anyResource<R: Resource>(_: R.Type, _ reference: ResourceReference) throws(ResourceError) -> (any Resource)? {
        try resource(R.self, reference)
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
        var types: [ObjectIdentifier: any Resource.Type] = [:]
        var waiting = roots + options.registry.resourceTypes
        while let type = waiting.popLast() {
            guard types.updateValue(type, forKey: ObjectIdentifier(type)) == nil else { continue }
            waiting += type.relatedTypes
        }
        for type in types.values { try decodeAll(of: type) }
    }

    private func decodeAll<R: Resource>(of _: R.Type) throws(ResourceError) {
        guard let positions = positionsByType[R.resourceType] else { return }
        let table = table(for: R.self)
        let known = table.positions
        var decoded: [(Int, Baseline<R>)] = []
        for position in positions where !known.contains(position) {
            decoded.append((position, try decode(position)))
        }
        table.store(decoded)
    }

    private func baseline<R: Resource>(at position: Int, of _: R.Type) throws(ResourceError) -> Baseline<R> {
        let table = table(for: R.self)
        if let known = table[position] { return known }
        let baseline: Baseline<R> = try decode(position)
        return table.store(baseline, at: position)
    }

    private func decode<R: Resource>(_ position: Int) throws(ResourceError) -> Baseline<R> {
        let entry = entries[position]
        var reading = ResourceReading<R>(entry.object, options: options)
        do throws(ResourceError) {
            let value = try reading.value()
            if !reading.skipped.isEmpty {
                let skipped = reading.skipped.map { $0.under(entry.place.tokens) }
                memory.withLock { $0.skipped += skipped }
            }
            return Baseline(value)
        } catch {
            throw error.under(entry.place.tokens)
        }
    }

    private func table<R: Resource>(for _: R.Type) -> ResourceTable<R> {
        memory.withLock { memory in
            let key = ObjectIdentifier(R.self)
            if let table = memory.tables[key] as? ResourceTable<R> { return table }
            let table = ResourceTable<R>()
            memory.tables[key] = table
            return table
        }
    }
}

extension Resource {
    /// The types of the relationships.
    static var relatedTypes: [any Resource.Type] { schema.relationships.flatMap { $0.targets() } }
}

/// The decoded values of one Swift type, by their positions in the document.
private final class ResourceTable<R: Resource>: Sendable {
    private let values = Mutex<[Int: Baseline<R>]>([:])

    subscript(position: Int) -> Baseline<R>? { values.withLock { $0[position] } }

    var positions: Set<Int> { values.withLock { Set($0.keys) } }

    /// Stores a value, unless another task was faster. It returns the value that is stored.
    func store(_ value: Baseline<R>, at position: Int) -> Baseline<R> {
        values.withLock {
            if let known = $0[position] { return known }
            $0[position] = value
            return value
        }
    }

    func store(_ decoded: [(Int, Baseline<R>)]) {
        values.withLock {
            $0.reserveCapacity(decoded.count)
            for (position, value) in decoded where $0[position] == nil { $0[position] = value }
        }
    }
}
