// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A path of relationships, from the type of the requested resources to that of the included ones.
///
/// ```swift
/// let request = articles.search().include { [$0.authors.favoriteArticle, $0.editor] }
/// ```
@dynamicMemberLookup
public struct IncludePath<Root: Resource, Leaf: RelationshipTarget>: AnyIncludePath {
    let segments: [String]

    /// The names of the relationships, with dots between them. If a property is not a field, requests fail unsent.
    public var path: String { segments.joined(separator: ".") }
}

extension IncludePath where Leaf: Resource {
    /// Appends a to-one relationship.
    public subscript<T: RelationshipTarget>(dynamicMember path: KeyPath<Leaf, ToOne<T>>) -> IncludePath<Root, T> {
        IncludePath<Root, T>(segments: segments + [Leaf.schema.nameInQuery(of: path)])
    }

    /// Appends a to-many relationship.
    public subscript<T: RelationshipTarget>(dynamicMember path: KeyPath<Leaf, ToMany<T>>) -> IncludePath<Root, T> {
        IncludePath<Root, T>(segments: segments + [Leaf.schema.nameInQuery(of: path)])
    }
}

/// A path of relationships that begins at the type `Root`.
public protocol AnyIncludePath<Root>: Sendable {
    /// The type of the requested resources.
    associatedtype Root: Resource
    /// The names of the relationships, with dots between them.
    var path: String { get }
}

extension JSONAPISchema {
    /// Returns the name of the field with the given property. For a property that is not a field, it returns the text
    /// of the key path: its backslash is not legal in names, so the query reports the text as its fault.
    fileprivate func nameInQuery(of path: PartialKeyPath<R>) -> String { name(of: path) ?? "\(path)" }
}

extension ResourceRequest {
    /// Asks for related resources by properties: `include { [$0.authors.favoriteArticle, $0.editor] }`.
    public func include(_ paths: (IncludePath<R, R>) -> [any AnyIncludePath<R>]) -> Self {
        include(paths(IncludePath(segments: [])).map(\.path))
    }
}

extension ResourceCollectionRequest where R: Resource {
    /// Asks for related resources by properties: `include { [$0.authors.favoriteArticle, $0.editor] }`.
    public func include(_ paths: (IncludePath<R, R>) -> [any AnyIncludePath<R>]) -> Self {
        include(paths(IncludePath(segments: [])).map(\.path))
    }
}

extension Querying {
    /// Limits the resources of a type to some fields, or to none: `fields(Article.self, \.title, \.authors)`.
    public func fields<T: Resource>(_ type: T.Type, _ paths: PartialKeyPath<T>...) -> Self {
        changing { $0.fields(paths.map { T.schema.nameInQuery(of: $0) }, ofType: T.resourceType) }
    }
}
