// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests

extension JSONAPIQuery {
    /// Asks for related resources.
    ///
    /// - Parameter paths: Names of relationships, separated by dots. No path at all asks for none.
    public mutating func include(_ paths: [String]) {
        for path in paths { check(Self.isPath(path), "include", path) }
        extend("include", paths)
    }

    /// Limits the resources of a type to some fields.
    ///
    /// - Parameters:
    ///   - fields: Names of attributes and relationships. No name at all asks for resources without fields.
    ///   - type: The type of the resources.
    public mutating func fields(_ fields: [String], ofType type: String) {
        check(MemberName.isLegal(type), "fields", type)
        for field in fields { check(MemberName.isLegal(field), "fields[\(type)]", field) }
        extend("fields[\(type)]", fields)
    }

    /// Sorts the resources of a collection, by the first key first.
    public mutating func sort(_ keys: [Sort]) {
        for key in keys { check(Self.isPath(key.field), "sort", key.field) }
        extend("sort", keys.map(\.text))
    }

    /// Filters the resources of a collection.
    ///
    /// - Parameters:
    ///   - keys: The names in the brackets: `["author", "name"]` makes `filter[author][name]`. Without any, the parameter is
    ///     `filter`.
    ///   - values: The values, which are sent as a list with commas. Servers cannot tell a comma within a value from one
    ///     between two values.
    public mutating func filter(_ keys: [String], _ values: [String]) {
        extend(family("filter", keys), values)
    }

    /// Asks for one page of a collection. It replaces the page that was asked for before.
    public mutating func page(_ page: Page) {
        let names = page.parameters.map { family("page", [$0.name]) }
        items.removeAll { $0.name.hasPrefix("page[") && !names.contains($0.name) }
        for (name, parameter) in zip(names, page.parameters) {
            items.removeAll { $0.name == name }
            items.append(HTTPQueryItem(name, parameter.value))
        }
    }

    /// Adds a parameter of an implementation or of an extension (JSON:API 1.1, "Query Parameter Families").
    ///
    /// - Parameters:
    ///   - base: The name of the family. That of an implementation needs a character other than `a` to `z`. That of an
    ///     extension is the namespace, a colon, and letters from `a` to `z`.
    ///   - keys: The names in the brackets. They can be empty, and can contain dots.
    ///   - values: The values, which are sent as a list with commas.
    public mutating func parameter(_ base: String, _ keys: [String] = [], _ values: [String]) {
        check(Self.isBase(base), "custom", base)
        extend(family(base, keys), values)
    }

    private mutating func family(_ base: String, _ keys: [String]) -> String {
        for key in keys { check(key.isEmpty || Self.isPath(key), base, key) }
        return base + keys.map { "[\($0)]" }.joined()
    }

    /// Whether a text is a list of legal member names with dots between them.
    private static func isPath(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { MemberName.isLegal(String($0)) }
    }

    private static func isBase(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        switch MemberName.kind(of: name) {
        case .regular: return MemberName.isLegal(name) && !name.utf8.allSatisfy(letters.contains)
        case .extensionMember(let namespace):
            let base = name.utf8.dropFirst(namespace.utf8.count + 1)
            return MemberName.isLegalNamespace(namespace) && !base.isEmpty && base.allSatisfy(letters.contains)
        case .atMember: return false
        }
    }
}

extension JSONAPIQuery {
    /// A key that resources are sorted by.
    public enum Sort: Sendable, Hashable {
        /// From the smallest value to the largest. The field can be a path with dots.
        case ascending(String)
        /// From the largest value to the smallest. The field can be a path with dots.
        case descending(String)

        var field: String {
            switch self {
            case .ascending(let field), .descending(let field): field
            }
        }

        var text: String {
            switch self {
            case .ascending(let field): field
            case .descending(let field): "-\(field)"
            }
        }
    }

    /// One page of a collection, in the way that the server counts pages.
    public struct Page: Sendable, Hashable {
        /// A parameter of the `page` family.
        public struct Parameter: Sendable, Hashable {
            /// The name in the brackets.
            public var name: String
            /// The value.
            public var value: String
        }

        /// The parameters, in their order.
        public var parameters: [Parameter]

        /// Creates a page of any strategy: `Page(["index": "3"])` makes `page[index]=3`.
        public init(_ parameters: KeyValuePairs<String, String>) {
            self.parameters = parameters.map { Parameter(name: $0.key, value: $0.value) }
        }

        private init(_ parameters: [(String, String?)]) {
            self.parameters = parameters.compactMap { name, value in value.map { Parameter(name: name, value: $0) } }
        }

        /// A page with a number: `page[number]`, and `page[size]` if there is a size.
        public static func number(_ number: Int, size: Int? = nil) -> Self {
            Self([("number", number.description), ("size", size?.description)])
        }

        /// The resources from an offset: `page[offset]`, and `page[limit]` if there is a limit.
        public static func offset(_ offset: Int, limit: Int? = nil) -> Self {
            Self([("offset", offset.description), ("limit", limit?.description)])
        }

        /// The resources after or before a cursor: `page[after]`, `page[before]` and `page[size]`, as the cursor pagination
        /// profile names them.
        public static func cursor(after: String? = nil, before: String? = nil, size: Int? = nil) -> Self {
            Self([("after", after), ("before", before), ("size", size?.description)])
        }
    }
}
