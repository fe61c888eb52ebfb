// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A document with the values of its resources.
///
/// ```swift
/// let document = try JSONAPIDocument(parsing: body)
/// for article in try document.resources(as: Article.self) {
///     print(article.title ?? "", article.editor.name ?? "")
/// }
/// ```
///
/// The values refer to each other through the document, in cycles and to any depth. They keep it in memory;
/// ``Resource/detached()`` returns a value that does not.
public struct JSONAPIDocument: Sendable {
    let graph: ResourceGraph

    /// Creates a document. It takes time proportional to the number of resources.
    public init(_ raw: RawDocument, options: ResourceOptions = ResourceOptions()) {
        self.init(ReceivedDocument(raw), options: options)
    }

    init(_ received: ReceivedDocument, options: ResourceOptions) {
        graph = ResourceGraph(received, options: options)
    }

    /// Reads a document. It throws a ``DocumentError`` as ``RawDocument`` does.
    public init(
        parsing bytes: [UInt8], reading: DocumentOptions = DocumentOptions(),
        options: ResourceOptions = ResourceOptions()
    ) throws(DocumentError) {
        self.init(try ReceivedDocument(parsing: bytes, options: reading), options: options)
    }

    /// The document with all its members. It is made at the first use, in time proportional to its length.
    public var raw: RawDocument { graph.document.raw }

    /// The links of the document, such as pagination links.
    public var links: JSONAPILinks { graph.document.links }

    /// The errors, or none.
    public var errors: [JSONAPIErrorObject] { graph.document.errors ?? [] }

    var shape: ReceivedDocument.Shape { graph.document.shape }

    var firstObject: ResourceObject? { graph.document.primaryCount > 0 ? graph.document.object(at: 0) : nil }

    /// Decodes the meta information of the document. It is `nil` if there is none.
    ///
    /// - Throws: A `DecodingError` if it does not fit the type, or the error of the type's `init(from:)`.
    public func meta<M: Decodable>(as type: M.Type = M.self) throws -> M? { try graph.document.meta?.decode(as: type) }

    /// The errors of the fields that were skipped so far (``ResourceOptions/UnreadableFields/skip``).
    public var skippedFields: [ResourceError] { graph.skipped }

    /// Returns the primary data as one value. It is `nil` if they are `null` or absent.
    ///
    /// All resources of the document that have a known type are decoded at once, also those in `included`. So an error
    /// in any of them is thrown here, and the values of relationships need no error handling. The known types are `T`,
    /// all types that it refers to directly or indirectly, and those of the registry. Other types are ignored.
    ///
    /// - Throws: A ``ResourceError`` if the primary data are an array or have another type, or if a resource does not
    ///   fit its type.
    public func resource<T: RelationshipTarget>(as type: T.Type = T.self) throws(ResourceError) -> T? {
        switch shape {
        case .absent, .null: return nil
        case .collection: throw ResourceError(.wrongPrimaryData(expectsArray: false), nil, at: JSONPointer(["data"]))
        case .single:
            try graph.decodeAll(T.resourceTypes)
            return try graph.primary(at: 0)
        }
    }

    /// Returns the primary data as an array of values. It is empty if they are absent.
    ///
    /// All resources of known types are decoded at once, as in ``resource(as:)``.
    ///
    /// - Throws: A ``ResourceError`` if the primary data are not an array or have another type, or if a resource does
    ///   not fit its type.
    public func resources<T: RelationshipTarget>(as type: T.Type = T.self) throws(ResourceError) -> [T] {
        switch shape {
        case .absent: return []
        case .null, .single: throw ResourceError(.wrongPrimaryData(expectsArray: true), nil, at: JSONPointer(["data"]))
        case .collection:
            try graph.decodeAll(T.resourceTypes)
            var values: [T] = []
            values.reserveCapacity(graph.document.primaryCount)
            for position in 0..<graph.document.primaryCount { values.append(try graph.primary(at: position)) }
            return values
        }
    }

    /// Returns the resource with the given id, from the primary data or `included`; `nil` if the document lacks it.
    ///
    /// - Throws: A ``ResourceError`` if the resource does not fit its type.
    public func resource<R: Resource>(_ id: ResourceID<R>) throws(ResourceError) -> R? {
        try R.resolve(graph.reference(ResourceIdentifierObject(type: R.resourceType, id: id.rawValue)))
    }
}
