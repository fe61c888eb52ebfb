// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The resources of one document, by type and id, and the values made from them.
///
/// Each resource is decoded once for a Swift type. The graph holds values that do not refer to it; a value that is handed
/// out is a copy that does. So there is no reference cycle, and related resources stay reachable as long as a value exists.
public final class ResourceGraph: Sendable {
    let options: ResourceOptions
    private let isSingle: Bool
    private let data: [ResourceObject]
    private let included: [ResourceObject]
    /// The positions of the resources: first those of the primary data, then the included ones.
    private let positions: [ResourceKey: Int]
    /// The positions of the resources of each type.
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
        if case .single = document.data { isSingle = true } else { isSingle = false }
        data = document.data?.resources ?? []
        included = document.included ?? []
        var index = Index()
        index.positions.reserveCapacity(data.count + included.count)
        for object in data { index.add(object) { [data, included] in Self.object($0, data, included) } }
        for object in included { index.add(object) { [data, included] in Self.object($0, data, included) } }
        positions = index.positions
        positionsByType = index.positionsByType
    }

    private struct Index {
        var positions: [ResourceKey: Int] = [:]
        var positionsByType: [String: [Int]] = [:]
        private var count = 0

        mutating func add(_ object: ResourceObject, _ other: (Int) -> ResourceObject) {
            positionsByType[object.type, default: []].append(count)
            if let id = object.id { add(ResourceKey(type: object.type, id: id), object, other) }
            if let lid = object.lid { add(ResourceKey(type: object.type, id: lid, isLocal: true), object, other) }
            count += 1
        }

        private mutating func add(_ key: ResourceKey, _ object: ResourceObject, _ other: (Int) -> ResourceObject) {
            guard let known = positions.updateValue(count, forKey: key) else { return }
            if object.isBare || !other(known).isBare { positions[key] = known }
        }
    }

    private static func object(
        _ position: Int, _ data: [ResourceObject], _ included: [ResourceObject]
    ) -> ResourceObject {
        position < data.count ? data[position] : included[position - data.count]
    }

    private func object(at position: Int) -> ResourceObject { Self.object(position, data, included) }

    /// The tokens of the pointer to a resource.
    private func place(of position: Int) -> [String] {
        if position >= data.count { return ["included", String(position - data.count)] }
        return isSingle ? ["data"] : ["data", String(position)]
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
    func object(_ reference: ResourceReference) -> ResourceObject? { reference.position.map { object(at: $0) } }

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
        throw ResourceError(.wrongType(expected: expected), object).under(place(of: position))
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
        decoded.reserveCapacity(positions.count)
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
        var reading = ResourceReading<R>(object(at: position), options: options)
        do throws(ResourceError) {
            let value = try reading.value()
            if !reading.skipped.isEmpty {
                let skipped = reading.skipped.map { $0.under(place(of: position)) }
                memory.withLock { $0.skipped += skipped }
            }
            return Baseline(value)
        } catch {
            throw error.under(place(of: position))
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
    static var relatedTypes: [any Resource.Type] { schema.table.relationships.flatMap { $0.targets() } }
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
