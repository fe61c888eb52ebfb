// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A reference to a resource in a relationship.
///
/// Two identifiers are equal if type, id and local id are equal by their bytes. ``meta`` is not compared.
public struct ResourceIdentifier<T: RelationshipTarget>: Sendable {
    /// The type in documents. A server can send a type that `T` does not know.
    public let type: String
    let rawID: String?
    let rawLocalID: String?
    /// Meta information about this reference, not about the resource.
    public var meta: RawObject?
}

// The initializers are in an extension, so that there is a memberwise one, which makes a value without copying it.
extension ResourceIdentifier {
    /// Creates an identifier from an identifier of any type. Members of extensions are dropped.
    public init(_ object: ResourceIdentifierObject) {
        self.init(type: object.type, rawID: object.id, rawLocalID: object.lid, meta: object.meta)
    }

    /// Creates an identifier of a resource. Without an id and a local id, it keeps the type, and it cannot be sent.
    init(of target: T) {
        if let object = target.toResourceIdentifierObject() {
            self.init(object)
        } else {
            let types = T.resourceTypes
            let type = types.count == 1 ? types.first?.resourceType : (target as? AnyResource)?.object.type
            self.init(type: type ?? "", rawID: nil, rawLocalID: nil, meta: nil)
        }
    }

    /// Creates an identifier from the id of a resource, for relationships to several types.
    public init<R: Resource>(_ id: ResourceID<R>, meta: RawObject? = nil) {
        self.init(type: R.resourceType, rawID: id.rawValue, rawLocalID: nil, meta: meta)
    }

    /// The identifier as it is in documents.
    public var object: ResourceIdentifierObject {
        ResourceIdentifierObject(type: type, id: rawID, lid: rawLocalID, meta: meta)
    }

    /// The local id, or `nil` if the identifier has none.
    public var lid: LocalID? { rawLocalID.map { LocalID($0) } }
}

extension ResourceIdentifier where T: Resource {
    /// Creates an identifier from an id or a local id. Without both, requests fail before they are sent.
    public init(id: T.ID? = nil, lid: LocalID? = nil, meta: RawObject? = nil) {
        self.init(type: T.resourceType, rawID: id?.rawValue, rawLocalID: lid?.rawValue, meta: meta)
    }

    /// The id. It is `nil` if the reference has a local id only, or if it refers to a resource of another type.
    public var id: T.ID? {
        guard let rawID, type.utf8.elementsEqual(T.resourceType.utf8) else { return nil }
        return T.ID(rawID)
    }
}

extension ResourceIdentifier: Hashable {
    /// Returns whether type, id and local id are equal.
    public static func == (left: Self, right: Self) -> Bool {
        equal(left.rawID, right.rawID) && equal(left.rawLocalID, right.rawLocalID) && equal(left.type, right.type)
    }

    private static func equal(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.utf8.elementsEqual(right.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(rawID)
        hasher.combine(rawLocalID)
    }

    /// Whether this reference must be sent in place of the given one: it refers to another resource, or has other meta
    /// information. Without meta information, that of the server is kept.
    func differs(from confirmed: Self) -> Bool {
        self != confirmed || (meta != nil && meta != confirmed.meta)
    }

    /// The reference with the server's id in place of its local id, or `nil` if there is none for it.
    func replacing(_ ids: [ResourceKey: String]) -> Self? {
        guard rawID == nil, let rawLocalID, let id = ids[ResourceKey(type: type, id: rawLocalID, isLocal: true)] else {
            return nil
        }
        return Self(type: type, rawID: id, rawLocalID: nil, meta: meta)
    }
}
