// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The type and the id of a resource, which identify it (JSON:API 1.1, "Identification").
///
/// Types and ids are compared by their UTF-8 bytes: a composed and a decomposed "é" differ.
public struct ResourceKey: Sendable, Hashable {
    /// The type.
    public let type: String
    /// The id, or the local id if there is no id.
    public let id: String
    /// Whether ``id`` is a local id.
    public let isLocal: Bool

    public init(type: String, id: String, isLocal: Bool = false) {
        self.type = type
        self.id = id
        self.isLocal = isLocal
    }

    /// Returns whether two keys have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.isLocal == right.isLocal && left.id.utf8.elementsEqual(right.id.utf8)
            && left.type.utf8.elementsEqual(right.type.utf8)
    }
}

/// The resources of a document by type and id, primary data included.
///
/// Making it takes time proportional to the number of resources. A look-up takes constant time.
public struct ResourceIndex: Sendable {
    private var resources: [ResourceKey: ResourceObject] = [:]

    /// Creates the index of a document. If a resource is repeated, the first one wins; primary data come first. An
    /// included resource object replaces an identifier in the primary data.
    public init(_ document: RawDocument) {
        for resource in (document.data?.resources ?? []) + (document.included ?? []) {
            if let key = resource.key { add(resource, key) }
            if let key = resource.localKey { add(resource, key) }
        }
    }

    private mutating func add(_ resource: ResourceObject, _ key: ResourceKey) {
        if resources[key]?.isBare ?? true { resources[key] = resource }
    }

    /// The resource with the given key, or `nil` if it is not in the document.
    public subscript(key: ResourceKey) -> ResourceObject? { resources[key] }

    /// The resource that the identifier refers to by its id or else by its local id, or `nil` if the document lacks it.
    public subscript(identifier: ResourceIdentifierObject) -> ResourceObject? {
        (identifier.key ?? identifier.localKey).flatMap { self[$0] }
    }
}

extension ResourceObject {
    package var key: ResourceKey? { id.map { ResourceKey(type: type, id: $0) } }

    package var localKey: ResourceKey? { lid.map { ResourceKey(type: type, id: $0, isLocal: true) } }
}

extension ResourceIdentifierObject {
    package var key: ResourceKey? { id.map { ResourceKey(type: type, id: $0) } }

    package var localKey: ResourceKey? { lid.map { ResourceKey(type: type, id: $0, isLocal: true) } }
}
