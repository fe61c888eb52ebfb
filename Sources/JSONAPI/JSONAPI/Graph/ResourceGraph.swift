// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The resources of one document, by type and id, and the values made from them.
///
/// Each resource is decoded once for a Swift type. The graph holds values that do not refer to it, and returns copies
/// that do. So there is no reference cycle, and related resources stay reachable as long as a value exists.
final class ResourceGraph: Sendable {
    let document: ReceivedDocument
    let options: ResourceOptions
    private let positions: ResourcePositions
    private let memory = Mutex(Memory())

    /// The values of one Swift type, by their positions in the document. The element type is not `Baseline<R>`, which
    /// would cost a metadata lookup for each element.
    private typealias Values = [(any AnyObject & Sendable)?]

    private struct Memory {
        var values: [ObjectIdentifier: Values] = [:]
        var skipped: [ResourceError] = []

        /// Stores values at the given positions, except where another task was faster.
        mutating func store(_ decoded: Values, at positions: [Int], of type: ObjectIdentifier, count: Int) {
            // The array is taken out, so that it is not copied.
            var known = values.removeValue(forKey: type) ?? Array(repeating: nil, count: count)
            for (position, value) in zip(positions, decoded) where known[position] == nil { known[position] = value }
            values[type] = known
        }
    }

    init(_ document: ReceivedDocument, options: ResourceOptions) {
        self.document = document
        self.options = options
        positions = ResourcePositions(document)
    }

    private func place(of position: Int) -> [String] {
        if position >= document.primaryCount { return ["included", String(position - document.primaryCount)] }
        return document.shape == .collection ? ["data", String(position)] : ["data"]
    }

    func reference(_ identifier: ResourceIdentifierObject) -> ResourceReference {
        ResourceReference(
            identifier: identifier, position: positions.position(of: identifier, in: document), graph: self)
    }

    func object(_ reference: ResourceReference) -> ResourceObject? {
        reference.position.map { document.object(at: $0) }
    }

    var skipped: [ResourceError] { memory.withLock { $0.skipped } }

    // MARK: Values

    /// Returns the value of an identifier. It is `nil` if it has another type, or if the document lacks it.
    func resource<R: Resource>(_ reference: ResourceReference) throws(ResourceError) -> R? {
        guard reference.identifier.type == R.resourceType else { return nil }
        guard let position = reference.position else { return options.makesStubs ? stub(reference.identifier) : nil }
        return try handOut(baseline(at: position, of: R.self))
    }

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
        return handOut(Baseline(stub))
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
        let type = ObjectIdentifier(R.self)
        let known = memory.withLock { $0.values[type] }
        var decoded: Values = []
        decoded.reserveCapacity(positions.count)
        var reading = ResourceReading(document.reader, options: options)
        for position in positions {
            if let value = known?[position] {
                decoded.append(value)
            } else {
                decoded.append(try decode(position, &reading) as Baseline<R>)
            }
        }
        memory.withLock { $0.store(decoded, at: positions, of: type, count: document.resources.count) }
    }

    private func baseline<R: Resource>(at position: Int, of _: R.Type) throws(ResourceError) -> Baseline<R> {
        let type = ObjectIdentifier(R.self)
        if let known = memory.withLock({ $0.values[type]?[position] }) as? Baseline<R> { return known }
        var reading = ResourceReading(document.reader, options: options)
        let baseline: Baseline<R> = try decode(position, &reading)
        return memory.withLock { memory in
            memory.store([baseline], at: [position], of: type, count: document.resources.count)
            // Another task may have been faster.
            return memory.values[type]?[position]
        } as? Baseline<R> ?? baseline
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
}

extension Resource {
    static func appendRelatedTypes(to types: inout [any Resource.Type]) {
        for access in schema.table.relationships { types += access.targets() }
    }
}
