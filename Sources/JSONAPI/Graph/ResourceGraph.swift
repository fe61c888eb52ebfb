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
    /// The positions of the resources of each type, without those that another resource has taken the place of.
    private let runs: [String: [Range<Int>]]
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
        var index = ResourcePositions(capacity: data.count + included.count)
        for object in data { index.add(object) { [data, included] in Self.object($0, data, included) } }
        for object in included { index.add(object) { [data, included] in Self.object($0, data, included) } }
        index.endRun()
        positions = index.positions
        runs = index.runs
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
        var types: Set<ObjectIdentifier> = []
        var waiting = roots + options.registry.resourceTypes
        while let type = waiting.popLast() {
            guard types.insert(ObjectIdentifier(type)).inserted else { continue }
            try decodeAll(of: type)
            waiting += type.relatedTypes
        }
    }

    private func decodeAll<R: Resource>(of _: R.Type) throws(ResourceError) {
        guard let runs = runs[R.resourceType] else { return }
        let table = table(for: R.self)
        for run in runs {
            // A table that has a part of a run has decoded single resources before.
            let isEmpty = table.isEmpty
            var decoded: [Baseline<R>] = []
            decoded.reserveCapacity(run.count)
            for position in run {
                if !isEmpty, let known = table[position] {
                    decoded.append(known)
                } else {
                    decoded.append(try decode(position))
                }
            }
            table.store(decoded, from: run.lowerBound)
        }
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
            let table = ResourceTable<R>(count: data.count + included.count)
            memory.tables[key] = table
            return table
        }
    }
}

extension Resource {
    /// The types of the relationships.
    static var relatedTypes: [any Resource.Type] { schema.table.relationships.flatMap { $0.targets() } }
}
