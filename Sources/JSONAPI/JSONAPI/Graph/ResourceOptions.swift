// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Options for making values from the resources of a document.
public struct ResourceOptions: Sendable {
    /// The treatment of a field that does not fit its type.
    public enum UnreadableFields: Sendable, Hashable {
        /// The error of the field is thrown. This is the default.
        case refuse
        /// The field keeps the value of a new resource and is never sent. The error is in
        /// ``JSONAPIDocument/skippedFields``.
        case skip
    }

    /// The treatment of a field that does not fit its type. The default is `refuse`.
    public var unreadableFields = UnreadableFields.refuse
    /// Whether a reference to a resource that the document lacks has a value: a new resource with the id. The default
    /// is `false`, and the value is `nil`.
    public var makesStubs = false
    /// The requested fields by type, for responses with sparse fieldsets (`fields[TYPE]`). Other required fields of the
    /// type can be missing. By default, there are none.
    public var fieldsets: [String: Set<String>] = [:]
    /// Types for ``AnyResource``. By default, there are none.
    public var registry = ResourceRegistry()

    public init() {}
}

/// Resource types by their types in documents, for relationships that can refer to any type.
public struct ResourceRegistry: Sendable {
    private var types: [String: any Resource.Type] = [:]

    /// Creates a registry. If two types have the same type in documents, the last one wins.
    public init(_ types: any Resource.Type...) {
        for type in types { register(type) }
    }

    /// Adds a type. It replaces another one with the same type in documents.
    public mutating func register(_ type: any Resource.Type) { types[type.resourceType] = type }

    /// The resource type with the given type in documents.
    public subscript(type: String) -> (any Resource.Type)? { types[type] }

    /// The resource types, in no particular order.
    public var resourceTypes: [any Resource.Type] { Array(types.values) }
}

/// A resource of any type, for relationships to types that a program does not know beforehand.
///
/// ``ResourceOptions/registry`` names the types that ``resource`` can have.
public struct AnyResource: RelationshipTarget {
    /// The resource as it is in the document.
    public let object: ResourceObject
    /// The value, if the type is registered.
    public let resource: (any Resource)?

    public init(_ resource: some Resource) {
        object = resource.toBareObject()
        self.resource = resource
    }

    init(object: ResourceObject, resource: (any Resource)?) {
        self.object = object
        self.resource = resource
    }

    /// Returns the value as a given type, or `nil` if it has another type.
    public func resource<R: Resource>(as type: R.Type) -> R? { resource as? R }

    /// No types: those of the registry are used.
    public static var resourceTypes: [any Resource.Type] { [] }

    public static func resolve(_ reference: ResourceReference) throws(ResourceError) -> AnyResource? {
        let graph = reference.graph
        guard let object = graph.object(reference) else { return nil }
        guard let type = graph.options.registry[reference.identifier.type] else {
            return AnyResource(object: object, resource: nil)
        }
        return AnyResource(object: object, resource: try type.resolve(reference))
    }

    public func toResourceIdentifierObject() -> ResourceIdentifierObject? { object.identifier }
}
