// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type of resource.
///
/// A resource type is a structure with a property for each attribute and relationship, a schema and a `state`:
///
/// ```swift
/// struct Article: Resource {
///     var state = ResourceState<Article>()
///     var title: String?
///     var authors = ToMany<Person>()
///
///     static let schema = JSONAPISchema<Article>(
///         "articles",
///         .attribute("title", \.title),
///         .relationship("authors", \.authors))
/// }
/// ```
///
/// `init()` makes a new resource. A field that the server does not send has the value of a new resource.
public protocol Resource: RelationshipTarget, Equatable {
    /// The type and the fields. Declare it as `static let`, because it is made once.
    static var schema: JSONAPISchema<Self> { get }

    /// The id, the links, and the values that the server has confirmed.
    var state: ResourceState<Self> { get set }

    /// Creates a new resource. Its values are also those of fields that the server does not send.
    init()
}

extension Resource {
    /// The id of a resource of this type.
    public typealias ID = ResourceID<Self>

    /// The type in documents.
    public static var resourceType: String { schema.type }

    /// The id. It is `nil` for a new resource, unless the program chooses the id.
    public var id: ID? {
        get { state.id }
        set { state.id = newValue }
    }

    /// The local id, or `nil` if there is none. `identify()` sets it if there is no id either.
    public var lid: LocalID? {
        get { state.lid }
        set { state.lid = newValue }
    }

    /// The links of the resource, without those of its relationships.
    public var links: JSONAPILinks {
        get { state.details?.links ?? JSONAPILinks() }
        set { state.details = ResourceDetails(links: newValue, meta: meta) }
    }

    /// Meta information about the resource.
    public var meta: RawObject? {
        get { state.details?.meta }
        set { state.details = ResourceDetails(links: links, meta: newValue) }
    }

    /// Whether the resource was neither received from a server nor confirmed by it.
    public var isNew: Bool { state.baseline == nil }

    /// Returns whether the server has sent the field, or has confirmed it after it was sent. Sparse fieldsets leave
    /// fields out. For a path that is not a field, the result is `false`.
    public func isPresent(_ field: PartialKeyPath<Self>) -> Bool {
        Self.schema.position(of: field).map(state.present.contains) ?? false
    }

    /// Returns the resource without its document: its relationships keep their linkage, and their `value` is `nil`.
    ///
    /// A resource keeps the whole document that it was read from in memory. A detached one does not.
    public func detached() -> Self {
        var copy = self
        copy.detach()
        if let baseline = copy.state.baseline {
            var confirmed = baseline.value
            confirmed.detach()
            copy.state.baseline = Baseline(confirmed)
        }
        return copy
    }

    private mutating func detach() {
        bind(to: nil)
        state.details = state.details?.detached
        for access in Self.schema.table.relationships { access.detach(&self) }
    }

    /// Sets the graph in which the relationships find their resources.
    mutating func bind(to graph: ResourceGraph?) {
        state.graph = graph
        for access in Self.schema.table.relationships { access.bind(graph, &self) }
    }

    /// Gives the resource a local id if it has neither an id nor a local id.
    ///
    /// - Returns: An identifier of the resource, for a relationship of another one.
    @discardableResult
    public mutating func identify() -> ResourceIdentifier<Self> {
        if id == nil && lid == nil { lid = .unique() }
        return ResourceIdentifier(id: id, lid: id == nil ? lid : nil)
    }

    public static var resourceTypes: [any Resource.Type] { [Self.self] }

    /// Finds the resource in the document of a reference; `nil` if the document lacks it, or if it has another type.
    public static func resolve(_ reference: ResourceReference) throws(ResourceError) -> Self? {
        try reference.graph.resource(reference)
    }
}
