// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A to-many relationship.
///
/// `article.authors = ToMany(people)` sets the related resources. An array literal holds their ids: `["1", "2"]`; `[]`
/// means that there are none. `ToMany()` means that they are unknown; it is never sent. Two relationships are equal if
/// they refer to the same resources in the same order.
@dynamicMemberLookup
public struct ToMany<T: RelationshipTarget>: Sendable {
    /// The resource linkage.
    public enum Linkage: Sendable, Hashable {
        /// The server has not sent the linkage, so it is unknown.
        case notLoaded
        /// References to the related resources, in their order.
        case to([ResourceIdentifier<T>])
    }

    /// The resource linkage.
    public var linkage: Linkage
    var details: ResourceDetails?
    /// Set only on values that a graph has returned, not on those that it holds. So there are no reference cycles.
    var graph: ResourceGraph?

    /// Creates a relationship with the given linkage. By default, the related resources are unknown.
    public init(_ linkage: Linkage = .notLoaded) { self.linkage = linkage }

    /// Creates a relationship to resources.
    ///
    /// If a resource has neither an id nor a local id, requests fail with
    /// ``ResourceError/Reason/unidentifiedTarget(type:)`` before they are sent. Create it first, or call
    /// ``Resource/identify()`` on it and add it to the same atomic request.
    public init(_ targets: some Sequence<T>) { linkage = .to(targets.map { ResourceIdentifier(of: $0) }) }

    /// The references to the related resources. It is empty if they are unknown. Setting it makes them known.
    public var identifiers: [ResourceIdentifier<T>] {
        get { if case .to(let identifiers) = linkage { identifiers } else { [] } }
        set { linkage = .to(newValue) }
    }

    /// Whether the server has sent the linkage, or the program has set it.
    public var isLoaded: Bool { linkage != .notLoaded }

    /// The number of references.
    public var count: Int { identifiers.count }

    /// The links of the relationship, such as `self`, `related` and pagination links.
    public var links: JSONAPILinks {
        get { details?.links ?? JSONAPILinks() }
        set { details = ResourceDetails(links: newValue, meta: meta) }
    }

    /// Meta information about the relationship.
    public var meta: RawObject? {
        get { details?.meta }
        set { details = ResourceDetails(links: links, meta: newValue) }
    }

    /// The related resources that the document has, in the order of the linkage. The others are left out, unless
    /// ``ResourceOptions/makesStubs`` is on. Each access makes a new array.
    public var values: [T] {
        guard let graph else { return [] }
        return identifiers.compactMap { try? T.resolve(graph.reference($0.object)) }
    }

    /// A property of each of the ``values``.
    public subscript<V>(dynamicMember path: KeyPath<T, V>) -> [V] { values.map { $0[keyPath: path] } }

    /// Appends a reference, unless the same resource is already referred to.
    public mutating func insert(_ identifier: ResourceIdentifier<T>) {
        if !identifiers.contains(identifier) { identifiers.append(identifier) }
    }

    /// Removes the references to a resource.
    public mutating func remove(_ identifier: ResourceIdentifier<T>) {
        identifiers.removeAll { $0 == identifier }
    }
}

extension ToMany: Equatable {
    /// Returns whether both refer to the same resources in the same order.
    public static func == (left: Self, right: Self) -> Bool { left.linkage == right.linkage }
}

extension ToMany where T: Resource {
    /// Creates a relationship to the resources with the given ids.
    public init(_ ids: some Sequence<ResourceID<T>>) { self.init(.to(ids.map { ResourceIdentifier(id: $0) })) }

    /// The ids of the related resources, without those of other types. It is empty if they are unknown.
    public var ids: [T.ID] {
        get { identifiers.compactMap(\.id) }
        set { identifiers = newValue.map { ResourceIdentifier(id: $0) } }
    }

    /// Appends a reference to the resource with the given id, unless it is already referred to.
    public mutating func insert(_ id: T.ID) { insert(ResourceIdentifier(id: id)) }

    /// Removes the references to the resource with the given id.
    public mutating func remove(_ id: T.ID) { remove(ResourceIdentifier(id: id)) }

    /// Returns whether the resource with the given id is referred to.
    public func contains(_ id: T.ID) -> Bool { identifiers.contains(ResourceIdentifier(id: id)) }
}

extension ToMany: ExpressibleByArrayLiteral where T: Resource {
    public init(arrayLiteral ids: T.ID...) { self.init(ids) }
}
