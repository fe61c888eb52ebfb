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
    /// The resources of the document.
    let graph: ResourceGraph
}
