// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The resources of a plain document. They are behind one reference, because each of them is read on its own.
final class PlainResources: Sendable {
    let outline: DocumentOutline
    let index: OutlineIndex

    init(_ outline: DocumentOutline) {
        self.outline = outline
        index = OutlineIndex(outline)
    }
}

/// The resources of a document in their order: first those of the primary data, then the included ones.
enum ResourceSource: Sendable {
    /// Resource objects, and the ranges of their types.
    case objects([ResourceObject], primaryCount: Int, index: ResourcePositions)
    /// A document that was checked and not read.
    case outline(PlainResources)

    /// Indexes a document. If a resource is repeated, the first one wins; primary data come first, except for identifiers,
    /// which give way to resources.
    init(_ document: RawDocument) {
        let data = document.data?.resources ?? []
        let objects = data + (document.included ?? [])
        var index = ResourcePositions(capacity: objects.count)
        for object in objects { index.add(object) { objects[$0] } }
        self = .objects(objects, primaryCount: data.count, index: index)
    }

    init(_ outline: DocumentOutline) { self = .outline(PlainResources(outline)) }

    var count: Int {
        switch self {
        case .objects(let objects, _, _): objects.count
        case .outline(let plain): plain.outline.resources.count
        }
    }

    var primaryCount: Int {
        switch self {
        case .objects(_, let count, _): count
        case .outline(let plain): plain.outline.primaryCount
        }
    }

    func object(at position: Int) -> ResourceObject {
        switch self {
        case .objects(let objects, _, _): objects[position]
        case .outline(let plain): plain.outline.object(at: position)
        }
    }

    /// The identifier of the resource at a position. Without an id and a local id, it has the type only.
    func identifier(at position: Int) -> ResourceIdentifierObject {
        switch self {
        case .objects(let objects, _, _):
            objects[position].identifier ?? ResourceIdentifierObject(type: objects[position].type)
        case .outline(let plain): plain.outline.identifier(at: position)
        }
    }

    /// The positions of the resources of a type.
    func positions(of type: String) -> [Int] {
        switch self {
        case .objects(_, _, let index): index.types[type] ?? []
        case .outline(let plain): plain.index.positions(of: type, in: plain.outline)
        }
    }

    /// Returns the position of a resource, or `nil` if the document lacks it.
    func position(of identifier: ResourceIdentifierObject) -> Int? {
        guard let id = identifier.id ?? identifier.lid else { return nil }
        let isLocal = identifier.id == nil
        switch self {
        case .objects(_, _, let index):
            return index.positions[ResourceKey(type: identifier.type, id: id, isLocal: isLocal)]
        case .outline(let plain):
            return plain.index.position(type: identifier.type, id: id, isLocal: isLocal, in: plain.outline)
        }
    }

    /// Reads a resource as a value, if nothing about it is unusual. Otherwise ``ResourceReading`` gives the value or the error.
    func plainValue<R: Resource>(at position: Int, options: ResourceOptions) -> R? {
        guard case .outline(let plain) = self else { return nil }
        return OutlineReading(plain.outline.tree, plain.outline.resources[position]).value(options)
    }
}
