// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A to-one relationship.
///
/// `article.editor = ToOne(person)` sets the related resource. `nil` means that there is none, and a string literal is
/// an id: `article.editor = "5"`. `ToOne()` means that the related resource is unknown; it is never sent. Two
/// relationships are equal if their linkage is equal.
@dynamicMemberLookup
public struct ToOne<T: RelationshipTarget>: Sendable {
    /// The resource linkage.
    public enum Linkage: Sendable, Hashable {
        /// The server has not sent the linkage, so it is unknown.
        case notLoaded
        /// There is no related resource.
        case empty
        /// A reference to the related resource.
        case to(ResourceIdentifier<T>)
    }

    /// The resource linkage.
    public var linkage: Linkage
    var details: ResourceDetails?
    /// Set only on values that a graph has returned, not on those that it holds. So there are no reference cycles.
    var graph: ResourceGraph?

    /// Creates a relationship with the given linkage. By default, the related resource is unknown.
    public init(_ linkage: Linkage = .notLoaded) { self.linkage = linkage }

    /// Creates a relationship to a resource.
    ///
    /// If the resource has neither an id nor a local id, requests fail with
    /// ``ResourceError/Reason/unidentifiedTarget(type:)`` before they are sent. Create it first, or call
    /// ``Resource/identify()`` on it and add it to the same atomic request.
    public init(_ target: T) { linkage = .to(ResourceIdentifier(of: target)) }

    /// The reference to the related resource. It is `nil` if there is none, or if it is unknown. Setting `nil` means
    /// that there is none. Setting it keeps the links and meta information.
    public var identifier: ResourceIdentifier<T>? {
        get { if case .to(let identifier) = linkage { identifier } else { nil } }
        set { linkage = newValue.map { .to($0) } ?? .empty }
    }

    /// Whether the server has sent the linkage, or the program has set it.
    public var isLoaded: Bool { linkage != .notLoaded }

    /// The links of the relationship, such as `self` and `related`.
    public var links: JSONAPILinks {
        get { details?.links ?? JSONAPILinks() }
        set { details = ResourceDetails(links: newValue, meta: meta) }
    }

    /// Meta information about the relationship.
    public var meta: RawObject? {
        get { details?.meta }
        set { details = ResourceDetails(links: links, meta: newValue) }
    }

    /// The related resource, if the document has it. Otherwise it is `nil`, or a resource with only an id if
    /// ``ResourceOptions/makesStubs`` is on. A relationship that the program has assigned has no value; set
    /// ``identifier`` or `id` to stay in the document.
    public var value: T? {
        guard let graph, case .to(let identifier) = linkage else { return nil }
        return try? T.resolve(graph.reference(identifier.object))
    }

    /// A property of the related resource, or `nil` if there is none.
    public subscript<V>(dynamicMember path: KeyPath<T, V>) -> V? { value?[keyPath: path] }

    /// A property of the related resource, or `nil` if there is none.
    public subscript<V>(dynamicMember path: KeyPath<T, V?>) -> V? { value?[keyPath: path] }

    /// A relationship of the related resource, as in `article.editor.favoriteArticle.title`; unknown if there is none.
    public subscript<V>(dynamicMember path: KeyPath<T, ToOne<V>>) -> ToOne<V> { value?[keyPath: path] ?? ToOne<V>() }

    /// A relationship of the related resource. It is unknown if there is none.
    public subscript<V>(dynamicMember path: KeyPath<T, ToMany<V>>) -> ToMany<V> { value?[keyPath: path] ?? ToMany<V>() }
}

extension ToOne: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.linkage == right.linkage }
}

extension ToOne: ExpressibleByNilLiteral {
    /// Creates a relationship without related resource.
    public init(nilLiteral: ()) { self.init(.empty) }
}

extension ToOne where T: Resource {
    /// Creates a relationship to the resource with the given id.
    public init(_ id: T.ID) { self.init(.to(ResourceIdentifier(id: id))) }

    /// The id of the related resource. Setting `nil` means that there is none. Links and meta information are kept.
    public var id: T.ID? {
        get { identifier?.id }
        set { identifier = newValue.map { ResourceIdentifier(id: $0) } }
    }
}

// A conditional conformance has to name the protocols that it includes.
extension ToOne: ExpressibleByUnicodeScalarLiteral, ExpressibleByExtendedGraphemeClusterLiteral,
    ExpressibleByStringLiteral
where T: Resource {
    public init(stringLiteral value: String) { self.init(T.ID(value)) }
}
