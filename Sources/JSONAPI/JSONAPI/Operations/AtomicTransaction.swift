// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Operations of an atomic request, in the order in which they were added.
///
/// ```swift
/// let results = try await client.atomic(path: "/operations") { transaction in
///     let dan = try transaction.add(Person(name: "Dan"))
///     var article = Article()
///     article.editor.identifier = dan.identifier
///     try transaction.add(article)
///     transaction.remove(Article.ID("13"))
/// }
/// ```
public struct AtomicTransaction: Sendable {
    /// The operations, in the order in which they were appended.
    public private(set) var operations: [AtomicOperation] = []

    public init() {}

    /// Appends an operation.
    public mutating func append(_ operation: AtomicOperation) { operations.append(operation) }

    /// Appends the creation of a resource. Without an id, it gets a local id, so that other operations can refer to it.
    ///
    /// The `href` is the URL reference of the collection. If it is `nil`, the server knows the collection by the type.
    ///
    /// - Returns: A reference for ``AtomicResults``.
    /// - Throws: A ``ResourceError`` if an attribute cannot be encoded, or if a related resource has no id or local id.
    @discardableResult
    public mutating func add<R: Resource>(
        _ resource: R, to href: String? = nil
    ) throws(ResourceError) -> AtomicReference<R> {
        var resource = resource
        let identifier = resource.identify()
        let data = PrimaryData.single(try resource.resourceObject(sending: .new))
        append(AtomicOperation(.add, target: href.map { .href($0) }, data: data))
        return AtomicReference(index: operations.count - 1, identifier: identifier, sent: resource, selection: .new)
    }

    /// Appends the update of a resource. By default, the changed fields are sent.
    ///
    /// - Returns: A reference for ``AtomicResults``.
    /// - Throws: A ``ResourceError`` if an attribute cannot be encoded, or if the resource or a related one has no id.
    @discardableResult
    public mutating func update<R: Resource>(
        _ resource: R, sending selection: FieldSelection = .changes
    ) throws(ResourceError) -> AtomicReference<R> {
        let object = try resource.resourceObject(sending: selection)
        guard object.identifier != nil else { throw ResourceError(.missingID, object) }
        append(AtomicOperation(.update, data: .single(object)))
        let identifier = ResourceIdentifier<R>(id: resource.id, lid: resource.lid)
        return AtomicReference(
            index: operations.count - 1, identifier: identifier, sent: resource, selection: selection)
    }

    /// Appends the deletion of a resource.
    public mutating func remove<R: Resource>(_ id: ResourceID<R>) {
        remove(ResourceIdentifier<R>(id: id))
    }

    /// Appends the deletion of a resource, which can have a local id. The server refuses an identifier without ids.
    public mutating func remove<R: Resource>(_ identifier: ResourceIdentifier<R>) {
        append(AtomicOperation(.remove, target: .reference(Self.reference(identifier, nil))))
    }

    /// Appends the change of a to-many relationship.
    ///
    /// The code is `add`, `remove`, or `update` to replace all references. The owner is the resource with the
    /// relationship, such as ``AtomicReference/identifier``.
    ///
    /// - Throws: A ``ResourceError`` if the property is not a field, or the owner or a reference has no id or local id.
    public mutating func change<R: Resource, T: RelationshipTarget>(
        _ code: AtomicOperation.Code, _ identifiers: [ResourceIdentifier<T>], in path: KeyPath<R, ToMany<T>>,
        of owner: ResourceIdentifier<R>
    ) throws(ResourceError) {
        try change(code, .toMany(identifiers.map(\.object)), in: path, of: owner)
    }

    /// Appends the change of a to-one relationship. `nil` empties it.
    ///
    /// - Throws: A ``ResourceError``, as the change of a to-many relationship does.
    public mutating func set<R: Resource, T: RelationshipTarget>(
        _ identifier: ResourceIdentifier<T>?, in path: KeyPath<R, ToOne<T>>, of owner: ResourceIdentifier<R>
    ) throws(ResourceError) {
        try change(.update, .toOne(identifier?.object), in: path, of: owner)
    }

    private mutating func change<R: Resource>(
        _ code: AtomicOperation.Code, _ linkage: RelationshipObject.Linkage, in path: PartialKeyPath<R>,
        of owner: ResourceIdentifier<R>
    ) throws(ResourceError) {
        let name = try R.schema.requiredName(of: path)
        let object = ResourceObject(type: owner.type, id: owner.rawID, lid: owner.rawLocalID)
        guard object.identifier != nil else { throw ResourceError(.missingID, object, field: name) }
        try object.checkTargets(of: linkage, in: name)
        append(AtomicOperation(code, target: .reference(Self.reference(owner, name)), data: PrimaryData(linkage)))
    }

    private static func reference<R: Resource>(
        _ identifier: ResourceIdentifier<R>, _ relationship: String?
    ) -> AtomicOperation.Reference {
        AtomicOperation.Reference(
            type: identifier.type, id: identifier.rawID, lid: identifier.rawID == nil ? identifier.rawLocalID : nil,
            relationship: relationship)
    }
}

/// A resource of an ``AtomicTransaction``.
public struct AtomicReference<R: Resource>: Sendable {
    /// The position of the operation.
    public let index: Int
    /// The reference to the resource, for relationships in other operations.
    public let identifier: ResourceIdentifier<R>
    let sent: R
    let selection: FieldSelection
}

/// The results of an ``AtomicTransaction``.
public struct AtomicResults: Sendable {
    /// The response of the server.
    public let response: ServerResponse
    /// The results, one for each operation, in their order.
    public let all: [AtomicResult]
    /// The ids that the server has given to resources with local ids.
    public let ids: [ResourceKey: String]

    init(_ response: ServerResponse, of operations: [AtomicOperation]) throws(JSONAPIError) {
        self.response = response
        all = try response.atomicResults(count: operations.count)
        var ids: [ResourceKey: String] = [:]
        for (operation, result) in zip(operations, all) {
            guard operation.code == .add, let sent = operation.data?.resources.first, let key = sent.localKey,
                let received = result.data?.resources.first, received.type == sent.type, let id = received.id
            else { continue }
            ids[key] = id
        }
        self.ids = ids
    }

    /// Returns a resource of the transaction with the server's changes and ids. Everything in it counts as confirmed.
    ///
    /// - Throws: A ``JSONAPIError`` with the code ``JSONAPIError/Code/resource`` if the result does not fit.
    public func resource<R: Resource>(_ reference: AtomicReference<R>) throws(JSONAPIError) -> R {
        var resource = reference.sent
        if all.indices.contains(reference.index), let object = all[reference.index].data?.resources.first {
            resource.adoptID(of: object, afterSending: reference.selection)
            try JSONAPIError.translating(.resource, response) {
                try resource.merge(object, afterSending: reference.selection)
            }
        } else {
            resource.markClean(afterSending: reference.selection)
        }
        resource.replaceLocalIDs(ids)
        return resource
    }
}

extension JSONAPISender {
    /// Performs the operations that `body` adds, all of them or none (extension "Atomic Operations"), at an endpoint
    /// below the base URL of the API. If there are no operations, no request is sent.
    ///
    /// - Throws: A ``JSONAPIError``. ``JSONAPIError/operationIndex(of:)`` identifies the failed operation.
    public func atomic(
        path: String, _ body: (inout AtomicTransaction) throws -> Void
    ) async throws(JSONAPIError) -> AtomicResults {
        var transaction = AtomicTransaction()
        try JSONAPIError.translating(.request) { try body(&transaction) }
        let operations = transaction.operations
        guard !operations.isEmpty else { return try AtomicResults(ServerResponse(), of: []) }
        let response = try await send(JSONAPIRequest(path: path, operations: operations))
        return try AtomicResults(response, of: operations)
    }
}
