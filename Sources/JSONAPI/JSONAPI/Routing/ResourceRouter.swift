// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes

/// The paths of resources, below the base URL of the API. A slash at the beginning makes no difference.
///
/// Types, ids and names are passed as they are in documents. A router percent-encodes them, for example with
/// `\(segment:)`.
public protocol ResourceRouter: Sendable {
    /// Returns the path of a collection, to read it.
    func search(type: String) -> String
    /// Returns the path of a collection, to create a resource in it.
    func create(type: String) -> String
    /// Returns the path of a resource, to read it.
    func read(type: String, id: String) -> String
    /// Returns the path of a resource, to update it.
    func update(type: String, id: String) -> String
    /// Returns the path of a resource, to delete it.
    func delete(type: String, id: String) -> String
    /// Returns the path of a relationship. The default is that of ``read(type:id:)``, `/relationships/` and the name.
    func relationship(type: String, id: String, name: String) -> String
    /// Returns the path of related resources. The default is that of ``read(type:id:)``, `/` and the name.
    func related(type: String, id: String, name: String) -> String
}

extension ResourceRouter {
    public func relationship(type: String, id: String, name: String) -> String {
        "\(read(type: type, id: id))/relationships/\(segment: name)"
    }

    public func related(type: String, id: String, name: String) -> String {
        "\(read(type: type, id: id))/\(segment: name)"
    }
}

/// The paths that the specification recommends: `articles` and `articles/1`.
public struct ScrudRouter: ResourceRouter {
    public init() {}

    public func search(type: String) -> String { "\(segment: type)" }
    public func create(type: String) -> String { "\(segment: type)" }
    public func read(type: String, id: String) -> String { "\(segment: type)/\(segment: id)" }
    public func update(type: String, id: String) -> String { read(type: type, id: id) }
    public func delete(type: String, id: String) -> String { read(type: type, id: id) }
}

/// A strategy for making paths.
public enum RoutingStrategy: Sendable {
    /// The paths of a router.
    case router(any ResourceRouter)
    /// A template, such as `/<type>/<id>`. `<type>` and `<id>` are replaced.
    ///
    /// Requests for a collection leave out the last segment if it contains `<id>`. A slash at the end stays: the
    /// template `/<type>/<id>/` makes `/articles/`, `/articles/1/` and `/articles/1/relationships/author/`.
    case path(String)

    /// Returns the path of an operation.
    ///
    /// - Throws: A ``JSONAPIError`` if the path needs an id, and `id` is `nil` or empty; or if the path has a dot
    ///   segment (RFC 3986 §3.3), such as that of the id `..`, because the request would then concern another resource.
    func path(of operation: RoutedOperation, type: String, id: String?) throws(JSONAPIError) -> String {
        let path =
            switch self {
            case .router(let router): try router.path(of: operation, type: type, id: id)
            case .path(let template): try Self.path(template, operation, type, id)
            }
        guard path.split(separator: "/").contains(where: Self.isDots) else { return path }
        throw JSONAPIError(
            .request,
            """
            Could not make the path of `\(operation)` for `\(type)`: `\(path)` has a dot segment. Use a template or a \
            router that adds text to the id.
            """)
    }

    /// Whether a segment is `.` or `..`, plain or percent-encoded.
    private static func isDots(_ segment: Substring) -> Bool {
        [".", ".."].contains(
            segment.lowercased().split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: "."))
    }

    fileprivate static func missingID(_ operation: RoutedOperation, _ type: String) -> JSONAPIError {
        JSONAPIError(.request, "Could not make the path of `\(operation)` for `\(type)`: the resource has no id.")
    }

    private static func path(
        _ template: String, _ operation: RoutedOperation, _ type: String, _ id: String?
    ) throws(JSONAPIError) -> String {
        var segments = template.split(separator: "/", omittingEmptySubsequences: false)
        var end: [String] = []
        while segments.count > 1, segments.last == "" {
            segments.removeLast()
            end.append("")
        }
        var added: [String] = []
        switch operation {
        case .search, .create:
            if segments.last?.contains("<id>") ?? false { segments.removeLast() }
        case .relationship(let name): added = ["relationships", "\(segment: name)"]
        case .related(let name): added = ["\(segment: name)"]
        case .read, .update, .delete: break
        }
        let filled = try segments.map { part throws(JSONAPIError) in try fill(part, operation, type, id) }
        return (filled + added + end).joined(separator: "/")
    }

    /// Replaces the marks in a segment of a template, in one pass, because an id can be the text `<type>`.
    private static func fill(
        _ part: Substring, _ operation: RoutedOperation, _ type: String, _ id: String?
    ) throws(JSONAPIError) -> String {
        var segment = ""
        var rest = part
        while let mark = rest.firstIndex(of: "<") {
            segment += rest[..<mark]
            rest = rest[mark...]
            if rest.hasPrefix("<type>") {
                segment += "\(segment: type)"
                rest = rest.dropFirst(6)
            } else if rest.hasPrefix("<id>") {
                guard let id, !id.isEmpty else { throw missingID(operation, type) }
                segment += "\(segment: id)"
                rest = rest.dropFirst(4)
            } else {
                segment += rest.prefix(1)
                rest = rest.dropFirst()
            }
        }
        return segment + rest
    }
}

enum RoutedOperation: Sendable, Hashable {
    case search, create, read, update, delete
    case relationship(String)
    case related(String)

    var method: HTTPRequest.Method {
        switch self {
        case .search, .read, .relationship, .related: .get
        case .create: .post
        case .update: .patch
        case .delete: .delete
        }
    }
}

extension ResourceRouter {
    fileprivate func path(of operation: RoutedOperation, type: String, id: String?) throws(JSONAPIError) -> String {
        switch (operation, id ?? "") {
        case (.search, _): search(type: type)
        case (.create, _): create(type: type)
        case (_, ""): throw RoutingStrategy.missingID(operation, type)
        case (.read, let id): read(type: type, id: id)
        case (.update, let id): update(type: type, id: id)
        case (.delete, let id): delete(type: type, id: id)
        case (.relationship(let name), let id): relationship(type: type, id: id, name: name)
        case (.related(let name), let id): related(type: type, id: id, name: name)
        }
    }
}
