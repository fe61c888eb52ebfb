// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type whose values a relationship can refer to: a ``Resource``, a ``ResourceUnion``, or ``AnyResource``.
///
/// Programs conform to ``Resource`` and ``ResourceUnion``, not to this protocol.
public protocol RelationshipTarget: Sendable {
    /// The resource types that the values can be.
    static var resourceTypes: [any Resource.Type] { get }

    /// Finds a value in the document of a reference. It is `nil` if the document lacks it.
    static func resolve(_ reference: ResourceReference) throws(ResourceError) -> Self?

    /// Returns the identifier of the value. It is `nil` if the value has neither an id nor a local id.
    func toResourceIdentifierObject() -> ResourceIdentifierObject?
}

/// A reference to a resource, and its place in the document that the reference comes from.
public struct ResourceReference: Sendable {
    let identifier: ResourceIdentifierObject
    /// The position among the resources of the document, or `nil` if the document lacks the resource.
    let position: Int?
    let graph: ResourceGraph
}

/// A choice between resource types, for a polymorphic relationship or mixed primary data.
///
/// ```swift
/// enum Contributor: ResourceUnion {
///     case person(Person)
///     case organization(Organization)
///     case unknown(ResourceObject)
///
///     static let alternatives = [Alternative(Contributor.person), Alternative(Contributor.organization)]
///
///     func toResourceIdentifierObject() -> ResourceIdentifierObject? {
///         switch self {
///         case .person(let resource): resource.toResourceIdentifierObject()
///         case .organization(let resource): resource.toResourceIdentifierObject()
///         case .unknown(let object): object.identifier
///         }
///     }
/// }
/// ```
public protocol ResourceUnion: RelationshipTarget {
    /// One of the resource types.
    typealias Alternative = UnionAlternative<Self>

    /// The resource types. If two have the same type in documents, the first one wins.
    static var alternatives: [UnionAlternative<Self>] { get }

    /// Returns the value for a resource whose type is not among the alternatives.
    static func unknown(_ object: ResourceObject) -> Self
}

/// A resource type of a ``ResourceUnion``.
public struct UnionAlternative<U: Sendable>: Sendable {
    let type: any Resource.Type
    let resolve: @Sendable (ResourceReference) throws(ResourceError) -> U?

    /// Creates an alternative from the case that holds a resource of the type.
    public init<R: Resource>(_ make: @escaping @Sendable (R) -> U) {
        type = R.self
        resolve = { (reference) throws(ResourceError) in try R.resolve(reference).map(make) }
    }
}

extension ResourceUnion {
    public static var resourceTypes: [any Resource.Type] { alternatives.map(\.type) }

    public static func resolve(_ reference: ResourceReference) throws(ResourceError) -> Self? {
        for alternative in alternatives where alternative.type.resourceType == reference.identifier.type {
            return try alternative.resolve(reference)
        }
        return reference.graph.object(reference).map(unknown)
    }
}
