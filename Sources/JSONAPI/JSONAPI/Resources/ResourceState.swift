// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The parts of a resource that are not fields, and the values that the server has confirmed.
///
/// A resource type has one property `state` of this type. Two states are equal if their ids and local ids are equal.
public struct ResourceState<R: Resource>: Sendable {
    var id: ResourceID<R>?
    var lid: LocalID?
    var details: ResourceDetails?
    var baseline: Baseline<R>?
    /// The fields that the server has sent, or confirmed after they were sent to it.
    var present: FieldSet
    /// The fields that are sent although they equal the baseline.
    var touched = FieldSet()
    /// The graph of the document that the value was read from. It is set only on values that a graph has returned.
    var graph: ResourceGraph?
}

// The initializer is in an extension, so that there is a memberwise one, which makes a value without copying it.
extension ResourceState {
    /// Creates the state of a new resource.
    public init() { self.init(present: FieldSet()) }
}

extension ResourceState: Equatable {
    /// Returns whether id and local id are equal.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id && left.lid == right.lid }
}

/// The links and meta information of a resource or a relationship. Most have none, so both are behind one reference.
final class ResourceDetails: Sendable {
    private enum StoredLinks {
        case read(JSONAPILinks)
        /// A links object that is known to be readable.
        case unread(RawJSON)
    }

    private let storedLinks: StoredLinks
    let meta: RawObject?

    var links: JSONAPILinks {
        switch storedLinks {
        case .read(let links): links
        case .unread(let json): (try? JSONAPILinks(json: json)) ?? JSONAPILinks()
        }
    }

    init?(links: JSONAPILinks?, meta: RawObject?) {
        if meta == nil && links?.isEmpty ?? true { return nil }
        storedLinks = .read(links ?? JSONAPILinks())
        self.meta = meta
    }

    /// Creates the details of a part of a document that was checked. 0 stands for an absent part.
    init?(_ reader: borrowing DocumentReader, links: Int, meta: Int) {
        // An empty object counts as absent.
        let links = links == 0 || reader.tree.end(of: links) == links + 1 ? 0 : links
        guard links != 0 || meta != 0 else { return nil }
        storedLinks = links == 0 ? .read(JSONAPILinks()) : .unread(reader.tree.json(at: links))
        self.meta = reader.rawObject(meta)
    }

    /// The same details with storage of their own. They keep no document in memory.
    var detached: ResourceDetails? {
        let meta = meta.map { RawObject(unchecked: RawJSON(unchecked: Array($0.json.bytes))) }
        return ResourceDetails(links: links, meta: meta)
    }
}

extension JSONAPILinks {
    var isEmpty: Bool { members.isEmpty && additionalMembers.isEmpty }
}

/// A resource as the server has sent or confirmed it. Its value belongs to no graph, so a graph can hold it.
final class Baseline<R: Resource>: Sendable {
    let value: R

    init(_ value: R) { self.value = value }
}

/// A set of fields of a schema, by their positions. It allocates only beyond 64 fields.
struct FieldSet: Sendable, Hashable {
    private var first: UInt64 = 0
    private var rest: Set<Int> = []

    func contains(_ position: Int) -> Bool {
        position < 64 ? first & (1 << UInt64(position)) != 0 : rest.contains(position)
    }

    mutating func insert(_ position: Int) {
        if position < 64 { first |= 1 << UInt64(position) } else { rest.insert(position) }
    }

    mutating func formUnion(_ other: FieldSet) {
        first |= other.first
        rest.formUnion(other.rest)
    }
}
